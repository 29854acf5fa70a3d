internal import DerivedTables
package import DurableFiles
internal import JSON
package import Ledger
package import SearchAds
internal import Tables

/// The removal of attributions of Apple Search Ads from the journal and the table of an output.
package enum SearchAdsRemoval {
  /// Removes the rows that a selection covers from both. Each is replaced in one step; after an interruption the same removal
  /// does the rest. Returns the number of rows removed from the table, or from the journal if they were in it alone.
  package static func remove(
    _ selection: AttributionSelection,
    from output: String,
    isCSVSafe: Bool
  ) throws(FileFailure) -> Int {
    let folder = DurableFolder("\(output)/\(Table.searchAdsAttributions.name)")
    let names = try folder.names()
    let found = Set(TableFormat.allCases.filter { format in names.contains { $0.hasSuffix(".\(format.rawValue)") } })
    let hasJournal = try AttributionJournal.exists(in: output)
    guard hasJournal || !found.isEmpty else { return 0 }
    // Keeps imports and exchanges out.
    let isMarked = names.contains(StoredRows.csvSafeName)
    let encoding = TableEncoding(
      found.isEmpty ? [.jsonLines] : found,
      isCSVSafe: isMarked || (isCSVSafe && found.contains(.jsonLines))
    )
    let table = try DerivedTable(.searchAdsAttributions, encoding, in: output)
    let fromJournal = try AttributionJournal.remove(selection, from: output)
    guard !found.isEmpty else { return fromJournal }
    let fromTable = try copy(to: table, from: output, without: selection, encoding)
    guard fromTable > 0 else { return fromJournal }
    var summary = SearchAdsSummary(added: 0, superseded: 0)
    try AttributionJournal(in: output).forEach { summary.add($0) }
    try table.complete(summary: summary.json.description)
    return fromTable
  }

  /// Returns the share of the rows that a removal would take from the table, or else from the journal.
  package static func share(_ selection: AttributionSelection, in output: String) throws(FileFailure) -> RemovalShare {
    let declaration = Table.searchAdsAttributions
    var share = RemovalShare(old: 0, of: 0)
    guard var stored = try StoredRows(declaration, in: output) else {
      guard try AttributionJournal.exists(in: output) else { return share }
      try AttributionJournal(in: output).forEach { row in
        share.all += 1
        if selection.covers(row) { share.old += 1 }
      }
      return share
    }
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: declaration)
      while row.next() {
        share.all += 1
        if selection.covers({ row.text(declaration.place($0)) }) { share.old += 1 }
      }
    }
    return share
  }

  private static func copy(
    to table: DerivedTable,
    from output: String,
    without selection: AttributionSelection,
    _ encoding: TableEncoding
  ) throws(FileFailure) -> Int {
    let declaration = Table.searchAdsAttributions
    guard var stored = try StoredRows(declaration, in: output) else { return 0 }
    var count = 0
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: declaration)
      var encoder = RowEncoder(declaration, encoding, inputBytes: batch.bytes.count)
      while row.next() {
        if selection.covers({ row.text(declaration.place($0)) }) {
          count += 1
          continue
        }
        for (index, column) in declaration.columns.enumerated() { encoder.copy(column.name, row.text(index)) }
        encoder.endRow()
      }
      try table.append(encoder.take())
    }
    return count
  }
}
