package import DurableFiles
internal import Ledger
package import PostbackVerification
package import Tables

/// The removal of postbacks from derived tables that have a row for each postback.
package enum DerivedRemoval {
  /// Removes the rows of postbacks from derived tables in a folder, also those that a killed process has left, and masks the
  /// ids of a request in others. A table without either stays as it is. Returns the number of removed rows by the name of
  /// the table.
  package static func remove(
    _ keys: Set<PostbackKey>,
    _ request: RemovalRequest,
    from tables: [Table],
    in output: String,
    isCSVSafe: Bool
  ) throws(FileFailure) -> [String: Int64] {
    var counts: [String: Int64] = [:]
    let generation = try DerivedStore.isNeeded(in: output) ? DerivedGeneration(in: output) : nil
    var isChanged = false
    for table in tables {
      let isOfStore = DerivedStore.tableNames.contains(table.name)
      let folder = isOfStore ? generation?.folder ?? output : output
      try DerivedTable.removeIncomplete(table, in: folder)
      guard table.columns.contains(where: { $0.name == .postbackKey }) else { continue }
      let found = try find(keys, request, in: table, folder)
      guard found.removed > 0 || found.isMasked else { continue }
      try rewrite(table, in: folder, without: keys, request, isCSVSafe: isCSVSafe)
      counts[table.name] = found.removed
      isChanged = isChanged || isOfStore
    }
    try generation?.removeCache()
    if isChanged, let generation {
      generation.manifest.inputs = [:]
      try generation.commit()
      try generation.waitForReaders()
    }
    try DurableFolder(output).synchronize()
    return counts
  }

  private static func find(
    _ keys: Set<PostbackKey>,
    _ request: RemovalRequest,
    in table: Table,
    _ output: String
  ) throws(FileFailure) -> (removed: Int64, isMasked: Bool) {
    guard var stored = try StoredRows(table, in: output) else { return (0, false) }
    let place = table.place(.postbackKey)
    var found: (removed: Int64, isMasked: Bool) = (0, false)
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: table)
      while row.next() {
        if let key = row.key(place), keys.contains(key) {
          found.removed += 1
        } else if !found.isMasked {
          found.isMasked = request.masked(String(decoding: row.line, as: UTF8.self)) != nil
        }
      }
    }
    return found
  }

  private static func rewrite(
    _ table: Table,
    in output: String,
    without keys: Set<PostbackKey>,
    _ request: RemovalRequest,
    isCSVSafe: Bool
  ) throws(FileFailure) {
    guard let encoding = try TableEncoding(storing: table, in: output, isCSVSafe: isCSVSafe) else { return }
    let path = "\(output)/\(table.name)/\(DerivedTable.summaryName)"
    let summary = try WholeFile.read(path, upTo: 1 << 28)
    let derived = try DerivedTable(table, encoding, in: output)
    let place = table.place(.postbackKey)
    try derived.copy(encoding, without: { $0.key(place).map(keys.contains) ?? false }) { request.masked($0) }
    try derived.complete(summary: String(decoding: summary, as: UTF8.self).trimmingLineEnd)
  }
}

extension String {
  fileprivate var trimmingLineEnd: String { last == "\n" ? String(dropLast()) : self }
}
