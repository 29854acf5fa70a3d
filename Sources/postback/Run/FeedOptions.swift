internal import Analysis
internal import JSON
internal import PostbackPipeline

/// The options that take rejects up again.
struct FeedOptions: Sendable {
  static let options = [
    Option(
      "--from-rejects",
      "OUT",
      "Instead of INPUT, take up the rejects in OUT again, with their original time, channel and\nsource: after a key or a policy was corrected."
    ),
    Option("--where", "EXPR", "Only rejects for which this holds, as in postback rejects. May be repeated."),
  ]

  /// The folder of the output.
  let folder: String
  private let conditions: [Condition]

  /// Reads the options; nil where the run reads inputs and not rejects.
  init?(_ arguments: Arguments) throws(CommandFailure) {
    guard let folder = arguments.value("--from-rejects") else {
      if arguments.has("--where") { throw CommandFailure(.usage, "--where goes with --from-rejects") }
      return nil
    }
    guard arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "give inputs, or --from-rejects, and not both")
    }
    self.folder = folder
    do {
      conditions = try arguments.all("--where").map { try Condition(parsing: $0) }
    } catch {
      throw CommandFailure(.usage, "\(error)")
    }
  }

  /// Throws where there is no such folder, before anything is made.
  func check() throws(CommandFailure) {
    do throws(ReadFailure) {
      guard try InputFile.isFolder(folder) else {
        throw ReadFailure(path: folder, reason: "is not the folder of an output; give the folder that --out named")
      }
    } catch {
      throw CommandFailure(.read(error))
    }
  }

  /// The rejects, to be written to tables again.
  func open(into tables: Tables, _ settings: RunSettings) throws(CommandFailure) -> RejectFeed {
    do throws(PipelineFailure) {
      return try RejectFeed(of: folder, where: conditions, into: tables.ledger, settings)
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension RejectFeed.Counts {
  private var leftOut: [(key: String, count: Int, meaning: String)] {
    [
      ("taken_up_before", takenUpBefore, "taken up before"),
      ("decided_before", decidedBefore, "rejected again before, by the same keys and policy"),
      ("duplicates", duplicates, "copies, whose first copy decides"),
      ("not_whole", notWhole, "whose bytes were not kept whole; read them from their source again"),
      ("not_matching", notMatching, "that do not meet --where"),
    ]
  }

  /// The counts of the feed as JSON.
  var json: JSONValue {
    .object([.init("taken_up", .integer(takenUp))] + leftOut.map { .init($0.key, .integer($0.count)) })
  }

  /// The counts of the feed for a person, a line each.
  var lines: [String] {
    ["took up \(takenUp) \(takenUp == 1 ? "reject" : "rejects") again"]
      + leftOut.filter { $0.count > 0 }.map { "left out \($0.count) \($0.meaning)" }
  }
}
