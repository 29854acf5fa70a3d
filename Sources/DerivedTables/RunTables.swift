package import DurableFiles
internal import Ledger
internal import PostbackPipeline
package import Signatures
package import TableReading
internal import Tables

/// The tables of a run, all with the rows of one commit.
package struct RunTables: Sendable {
  /// The accepted postbacks.
  package let postbacks: TableFiles
  /// The events that they decode to.
  package let events: TableFiles
  /// The rejects that were not read again.
  package let rejects: TableFiles

  /// Finds the tables in the output of a run. Where its state is there, the rows count that it has committed, also those in
  /// parts that are still written; otherwise those of complete parts.
  package init(
    in output: String,
    state: String,
    progress: AnalysisProgress.Handler? = nil
  ) throws(FileFailure) {
    let reading = Ledger.isThere(state) ? try Ledger.reading(state) : nil
    func files(_ table: Table) throws(FileFailure) -> TableFiles {
      var files = try TableFiles(table, at: [output])
      if let reading { files = try files.committed(reading, in: output) }
      files.progress = progress
      return files
    }
    (postbacks, events) = (try files(.postbacks), try files(.events))
    rejects = try files(.rejects).withoutReprocessed(states: reading == nil ? [] : [state])
  }

  /// Indicates that the folder is the output of a run, with all of its tables.
  package var isOfWholeRun: Bool { postbacks.isOfWholeRuns }

  /// The digest of the names, the sizes and the times of all files, which changes with each commit of rows.
  package func digest() throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    for input in postbacks.inputs + events.inputs + rejects.inputs {
      // The name of an open part changes when it is complete, but its rows do not.
      let name = (input.laterPath ?? input.path).split(separator: "/").suffix(2).joined(separator: "/")
      let time = input.limit == nil ? input.modified ?? 0 : 0
      try hash.update("\(name) \(input.byteCount ?? -1) \(time)\n".utf8.span)
    }
    return try hash.finish().hexadecimal
  }
}
