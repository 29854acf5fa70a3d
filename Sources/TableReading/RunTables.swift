package import DurableFiles
internal import Ledger
internal import PostbackPipeline
package import Signatures
internal import Tables

/// The tables of runs, those of each output with the rows of one commit.
package struct RunTables: Sendable {
  /// The accepted postbacks.
  package let postbacks: TableFiles
  /// The events that they decode to.
  package let events: TableFiles
  /// The rejects, without those that were read again unless these are wanted.
  package let rejects: TableFiles
  private let states: OutputStates

  /// Finds the tables at paths, as `TableFiles` does. `states` are those of outputs that have no state in their folder.
  package init(
    at paths: [String],
    states: [String] = [],
    includingReprocessed: Bool = false,
    progress: AnalysisProgress.Handler? = nil
  ) throws(FileFailure) {
    let readings = try OutputStates(of: paths, among: states, readsReprocessed: !includingReprocessed)
    self.states = readings
    func files(_ table: Table) throws(FileFailure) -> TableFiles {
      var files = try TableFiles(table, at: paths, readings)
      files.progress = progress
      return files
    }
    (postbacks, events) = (try files(.postbacks), try files(.events))
    let rejects = try files(.rejects)
    self.rejects = includingReprocessed ? rejects : try rejects.withoutReprocessed(readings, among: states)
  }

  /// Returns the first time of receipt, in milliseconds since 1970, from which no rows were removed because of their age; nil if
  /// none were.
  package func completeSince() throws(FileFailure) -> Int64? { try states.removedUpTo().map { $0 + 1 } }

  /// Indicates that each path is the output of a run, with all of its tables.
  package var areOfWholeRuns: Bool { postbacks.isOfWholeRuns }

  /// The complete parts that are not in their places, so that their rows do not count.
  package var missing: [(path: String, rows: Int64)] { postbacks.missing + events.missing + rejects.missing }

  /// The digest of the names, the sizes and the times of all files, which changes with each commit of rows.
  package func digest() throws(LibcryptoFailure) -> String {
    var text = ""
    for input in postbacks.inputs + events.inputs + rejects.inputs {
      // The name of an open part changes when it is complete, but its rows do not.
      let name = (input.laterPath ?? input.path).split(separator: "/").suffix(2).joined(separator: "/")
      let time = input.limit == nil ? input.modified ?? 0 : 0
      text += "\(name) \(input.byteCount ?? -1) \(time)\n"
    }
    var hash = try SHA256()
    return try hash.hexadecimalDigest(of: text)
  }
}
