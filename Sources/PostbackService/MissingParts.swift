internal import Ledger
internal import PostbackPipeline
internal import Tables

extension ConsumerMonitor {
  /// Counts the open parts whose committed rows are missing, and logs them if there are others than before.
  func countMissingParts(_ options: ConsumerOptions) {
    let missing = OutputFolder.missingParts(of: options.state, in: options.tables.folder)
    guard miss(missing.count), let first = missing.first else { return }
    let rows = missing.reduce(0) { $0 + $1.rows }
    options.log.error(
      "committed_rows_missing",
      """
      \(rows) committed rows are lost with \(missing.count) parts that are not there, such as \(first.hiddenName) of \
      \(first.table)
      """,
      ["parts": .integer(Int64(missing.count)), "rows": .integer(rows)]
    )
  }
}
