internal import Analysis
internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import TableReading

/// The options that read rejects again instead of inputs.
struct ReprocessingOptions: Sendable {
  static let options = [
    Option(
      "--from-rejects",
      "OUT",
      "Read the rejects in OUT again instead of INPUT, with their original time, channel and source.\nUse it after a key or a policy was corrected."
    ),
    Option("--where", "EXPR", "Read only rejects that meet this condition; see postback rejects. May be repeated."),
  ]

  /// The folder of the output.
  let folder: String
  private let conditions: [Condition]

  /// Reads the options; nil if the run reads inputs and not rejects.
  init?(_ arguments: Arguments) throws(CommandFailure) {
    guard let folder = arguments.value("--from-rejects") else {
      if arguments.has("--where") {
        throw CommandFailure(.usage, "The option --where has no effect without --from-rejects.")
      }
      return nil
    }
    guard arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "Inputs and --from-rejects exclude each other. Give one of them.")
    }
    self.folder = folder
    do {
      conditions = try arguments.all("--where").map { try Condition(parsing: $0) }
    } catch {
      throw CommandFailure(.usage, "\(error)")
    }
  }

  /// Throws if the folder does not exist. To be called before anything is created.
  func check() throws(CommandFailure) {
    do throws(FileFailure) {
      guard try InputFile.isFolder(folder) else {
        throw FileFailure(
          .notFound,
          folder,
          "This is not the directory of an output",
          advice: "Give the directory that --out named"
        )
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Opens the rejects, whose records are to be written into `tables` again.
  func open(into tables: TableWriter, _ settings: RunSettings) throws(CommandFailure) -> ReprocessedRejects {
    do throws(PipelineFailure) {
      return try ReprocessedRejects(of: folder, where: conditions, into: tables.ledger, settings)
    } catch {
      throw CommandFailure(error)
    }
  }
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
