internal import PostbackPipeline
internal import SKAdNetwork

/// What became of an input that the consumer has finished with.
enum InputOutcome: String, CaseIterable, Sendable {
  /// It is in the tables.
  case done
  /// It could not be read, and was put aside.
  case failed
  /// It is in the tables already.
  case skipped
}

/// The ledger's running counts, by what they count: from the beginning of the state, and over all restarts.
struct Totals: Equatable, Sendable {
  private let counts: [String: Int64]

  init(_ counts: [String: Int64] = [:]) { self.counts = counts }

  /// Records read.
  var read: Int64 { self["read"] }
  /// Postbacks accepted.
  var accepted: Int64 { self["accepted"] }
  /// Records rejected.
  var rejected: Int64 { RejectCode.allCases.reduce(0) { $0 + rejected($1) } }

  /// Records rejected with a code.
  func rejected(_ code: RejectCode) -> Int64 { self[Self.name(of: code)] }

  /// Records rejected with a code that were taken up again.
  func fedBack(_ code: RejectCode) -> Int64 { self["fed_back.\(code.rawValue)"] }

  /// Rows of a table.
  func rows(of table: Table) -> Int64 { self[Self.name(of: table)] }

  /// Inputs that ended so.
  func inputs(_ outcome: InputOutcome) -> Int64 { self[Self.name(of: outcome)] }

  /// The name under which the ledger counts a code.
  static func name(of code: RejectCode) -> String { "reject.\(code.rawValue)" }

  /// The name under which the ledger counts the rows of a table.
  static func name(of table: Table) -> String { "rows.\(table.name)" }

  /// The name under which the ledger counts inputs that ended so.
  static func name(of outcome: InputOutcome) -> String { "inputs.\(outcome.rawValue)" }

  private subscript(name: String) -> Int64 { counts[name] ?? 0 }
}
