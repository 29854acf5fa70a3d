internal import Analysis
internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import TableReading

/// The options that read rejects again instead of inputs.
struct ReprocessingOptions: OptionGroup {
  /// The folder of the output; nil if the run reads inputs and not rejects.
  let folder = Option(
    "--from-rejects OUT",
    "Read the rejects in OUT again instead of INPUT, with their original time, channel and source.\nUse it after a key or a policy was corrected."
  ).value(.text)
  private let conditions = Option(
    "--where EXPR",
    "Read only rejects that meet this condition; see postback rejects. May be repeated."
  ).values(.condition)

  /// Throws unless either inputs or rejects are read.
  func check(_ inputs: [String]) throws {
    if folder == nil, !conditions.isEmpty {
      throw CommandFailure(.usage, "The option --where has no effect without --from-rejects.")
    }
    guard folder == nil || inputs.isEmpty else {
      throw CommandFailure(.usage, "Inputs and --from-rejects exclude each other. Give one of them.")
    }
    guard folder != nil || !inputs.isEmpty else {
      throw CommandFailure(.usage, "No input is given. Give a file, a folder, or - for standard input.")
    }
  }

  /// Throws if the folder of --from-rejects does not exist. To be called before anything is created.
  func checkFolder() throws {
    guard let folder else { return }
    guard try InputFile.isFolder(folder) else {
      throw FileFailure(
        .notFound,
        folder,
        "This is not the directory of an output",
        advice: "Give the directory that --out named"
      )
    }
  }

  /// Opens the rejects, whose records are to be written into `tables` again; nil if the run reads inputs.
  func open(into tables: TableWriter, _ settings: RunSettings) throws -> ReprocessedRejects? {
    guard let folder else { return nil }
    return try ReprocessedRejects(of: folder, where: conditions, into: tables.ledger, settings)
  }
}

extension ValueKind<Condition> {
  /// A condition on the rows of `skan_rejects`.
  static var condition: Self { Self(throwing: { try Condition(parsing: $0) }) }
}

extension ReprocessedRejects.Counts {
  private var leftOut: [(key: String, count: Int, meaning: String)] {
    [
      ("taken_up_before", takenUpBefore, "that an earlier run has taken up"),
      ("decided_before", decidedBefore, "that an earlier run with the same keys and policy has rejected again"),
      ("duplicates", duplicates, "that are copies, because their first copy decides"),
      ("not_whole", notWhole, "whose bytes are not complete; read them from their source again"),
      ("not_matching", notMatching, "that do not meet --where"),
    ]
  }

  /// The counts of the reprocessing as JSON.
  var json: JSONValue {
    .object([.init("taken_up", .integer(takenUp))] + leftOut.map { .init($0.key, .integer($0.count)) })
  }

  /// The counts of the reprocessing as text, one on each line.
  var lines: [String] {
    ["read \(takenUp) \(takenUp == 1 ? "reject" : "rejects") again"]
      + leftOut.filter { $0.count > 0 }.map {
        "left out \($0.count) \($0.count == 1 ? "reject" : "rejects") \($0.meaning)"
      }
  }
}
