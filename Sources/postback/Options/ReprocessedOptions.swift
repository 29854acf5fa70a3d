internal import DurableFiles
internal import TableReading

/// The options that decide if rejects count that `run --from-rejects` has read again.
struct ReprocessedOptions: OptionGroup {
  private let includesReprocessed = Self.inclusion.isGiven
  private let states = Option(
    "--state DIR",
    "The state of an OUT, if it is not in OUT/_state; it records which rejects were read again. May\nbe repeated."
  ).values(.text)

  static let inclusion = Option("--include-fed-back", "Also count rejects that run --from-rejects has read again.")

  /// Returns the files of a table without the parts that were received outside of a span.
  func files(_ files: TableFiles, during span: TimeSpan) throws(FileFailure) -> TableFiles {
    try files.received(during: span, states: states)
  }

  /// Finds the tables at `paths`, without the rejects that do not count.
  func tables(at paths: [String], progress: AnalysisProgress.Handler?) throws -> RunTables {
    try RunTables(at: paths, states: states, includingReprocessed: includesReprocessed, progress: progress)
  }
}
