internal import DurableFiles
internal import Ledger
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// The options that decide if rejects count that `run --from-rejects` has read again.
struct ReprocessedOptions: Sendable {
  static let inclusion = Option(
    "--include-fed-back",
    nil,
    "Also count rejects that run --from-rejects has read again."
  )
  static let options = [
    inclusion,
    Option(
      "--state",
      "DIR",
      "The state of an OUT, if it is not in OUT/_state; it records which rejects were read again. May\nbe repeated."
    ),
  ]

  private let includesReprocessed: Bool
  private let states: [String]

  /// Reads the options.
  init(_ arguments: Arguments) {
    includesReprocessed = arguments.has(Self.inclusion.name)
    states = arguments.all("--state")
  }

  /// Returns the files of a table without the parts that were received outside of a span.
  func files(_ files: TableFiles, during span: TimeSpan) throws(FileFailure) -> TableFiles {
    try files.received(during: span, states: states)
  }

  /// Opens the tables of rejects and of accepted postbacks at `paths`, without the rejects that do not count. With
  /// `includingOpenParts` those of a single output have all committed rows, also those in parts that are still written.
  func tables(
    at paths: [String],
    includingOpenParts: Bool = false,
    progress: AnalysisProgress.Handler?
  ) throws(CommandFailure) -> (rejects: TableFiles, accepted: TableFiles) {
    var rejects: TableFiles
    var accepted: TableFiles
    do throws(FileFailure) {
      let state = includingOpenParts && paths.count == 1 ? "\(paths[0])/_state" : nil
      let reading = try state.flatMap { state throws(FileFailure) in
        Ledger.isThere(state) ? try Ledger.reading(state) : nil
      }
      rejects = try TableFiles(.rejects, at: paths)
      accepted = try TableFiles(.postbacks, at: paths)
      if let reading {
        rejects = try rejects.committed(reading, in: paths[0])
        accepted = try accepted.committed(reading, in: paths[0])
      }
    } catch {
      throw CommandFailure(error)
    }
    if !includesReprocessed {
      do throws(FileFailure) { rejects = try rejects.withoutReprocessed(states: states) } catch {
        throw CommandFailure(error)
      }
    }
    rejects.progress = progress
    accepted.progress = progress
    return (rejects, accepted)
  }
}
