package import SKAdNetwork
package import Tables

/// The outcome of an input that the consumer has finished.
package enum InputOutcome: String, CaseIterable, Sendable {
  /// The input was read, and its postbacks are in the tables.
  case done
  /// The input could not be read, and was put aside.
  case failed
  /// The input was skipped, because the same content is already in the tables.
  case skipped
}

/// The ledger's counters over the life of the state, including all restarts.
package struct Totals: Equatable, Sendable {
  private let counts: [String: Int64]

  /// Creates totals from the counters of a ledger, by their names.
  package init(_ counts: [String: Int64] = [:]) { self.counts = counts }

  /// The number of records read.
  package var read: Int64 { self["read"] }
  /// The number of accepted postbacks.
  package var accepted: Int64 { self["accepted"] }
  /// The number of rejected records.
  package var rejected: Int64 { RejectCode.allCases.reduce(0) { $0 + rejected($1) } }

  /// Returns the number of records rejected with this code.
  package func rejected(_ code: RejectCode) -> Int64 { self[Self.name(of: code)] }

  /// Returns the number of records rejected with a code that were fed back into a later run.
  package func reprocessed(_ code: RejectCode) -> Int64 { self["fed_back.\(code.rawValue)"] }

  /// Returns the number of committed rows of a table.
  package func rows(of table: Table) -> Int64 { self[Self.name(of: table)] }

  /// Returns the number of inputs with this outcome.
  func inputs(_ outcome: InputOutcome) -> Int64 { self[Self.name(of: outcome)] }

  /// Returns the ledger's name of the counter for a reject code.
  static func name(of code: RejectCode) -> String { "reject.\(code.rawValue)" }

  /// Returns the ledger's name of the counter for the rows of a table.
  static func name(of table: Table) -> String { "rows.\(table.name)" }

  /// Returns the ledger's name of the counter for an outcome of inputs.
  static func name(of outcome: InputOutcome) -> String { "inputs.\(outcome.rawValue)" }

  private subscript(name: String) -> Int64 { counts[name] ?? 0 }
}
