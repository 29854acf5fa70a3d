package import DurableFiles
internal import Ledger
package import PostbackVerification
internal import Tables

/// The removal of postbacks from derived tables that have a row for each postback.
package enum DerivedRemoval {
  /// Removes the rows of postbacks from the derived tables in a folder, also those that a killed process has left. A table without such rows stays as it is. Returns
  /// the number of removed rows by the name of the table.
  package static func remove(
    _ keys: Set<PostbackKey>,
    from output: String,
    isCSVSafe: Bool
  ) throws(FileFailure) -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for table in Table.derived where table.columns.contains(where: { $0.name == .postbackKey }) {
      try DerivedTable.removeIncomplete(table, in: output)
      guard !keys.isEmpty else { continue }
      let count = try count(keys, in: table, output)
      guard count > 0 else { continue }
      try rewrite(table, in: output, without: keys, isCSVSafe: isCSVSafe)
      counts[table.name] = count
    }
    try DurableFolder(output).synchronize()
    return counts
  }

  private static func count(_ keys: Set<PostbackKey>, in table: Table, _ output: String) throws(FileFailure) -> Int64 {
    guard var stored = try StoredRows(table, in: output) else { return 0 }
    let place = table.place(.postbackKey)
    var count: Int64 = 0
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: table)
      while row.next() { if let key = row.key(place), keys.contains(key) { count += 1 } }
    }
    return count
  }

  private static func rewrite(
    _ table: Table,
    in output: String,
    without keys: Set<PostbackKey>,
    isCSVSafe: Bool
  ) throws(FileFailure) {
    guard var stored = try StoredRows(table, in: output) else { return }
    let folder = DurableFolder("\(output)/\(table.name)")
    let names = try folder.names()
    let formats = Set(TableFormat.allCases.filter { format in names.contains { $0.hasSuffix(".\(format.rawValue)") } })
    let summary = try WholeFile.read("\(folder.path)/\(DerivedTable.summaryName)", upTo: 1 << 28)
    let derived = try DerivedTable(table, formats, in: output)
    let place = table.place(.postbackKey)
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: table)
      var encoder = RowEncoder(table, TableEncoding(formats, isCSVSafe: isCSVSafe), inputBytes: batch.bytes.count)
      while row.next() {
        if let key = row.key(place), keys.contains(key) { continue }
        for (index, column) in table.columns.enumerated() { encoder.copy(column.name, row.text(index)) }
        encoder.endRow()
      }
      try derived.append(encoder.take())
    }
    try derived.complete(summary: String(decoding: summary, as: UTF8.self).trimmingLineEnd)
  }
}

extension String {
  fileprivate var trimmingLineEnd: String { last == "\n" ? String(dropLast()) : self }
}
