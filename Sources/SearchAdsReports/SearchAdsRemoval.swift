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
    let declaration = Table.searchAdsAttributions
    let encoding = try TableEncoding(storing: declaration, in: output, isCSVSafe: isCSVSafe)
    let hasJournal = try AttributionJournal.exists(in: output)
    guard hasJournal || encoding != nil else { return 0 }
    // Keeps imports and exchanges out.
    let table = try DerivedTable(declaration, encoding ?? TableEncoding([.jsonLines]), in: output)
    let fromJournal = try AttributionJournal.remove(selection, from: output)
    guard let encoding else { return fromJournal }
    let copy = try table.copy(encoding, without: { row in selection.covers { row.text(declaration.place($0)) } })
    guard copy.removed > 0 else { return fromJournal }
    var summary = SearchAdsSummary(added: 0, superseded: 0)
    try AttributionJournal(in: output).forEach { summary.add($0) }
    try table.complete(summary: summary.json.description)
    return copy.removed
  }

  /// Returns the share of the rows that a removal would take from the table, or else from the journal.
  package static func share(_ selection: AttributionSelection, in output: String) throws(FileFailure) -> RemovalShare {
    let declaration = Table.searchAdsAttributions
    let share = try RemovalShare(of: declaration, in: output) { row in
      selection.covers { row.text(declaration.place($0)) }
    }
    if let share { return share }
    var journalShare = RemovalShare(old: 0, of: 0)
    guard try AttributionJournal.exists(in: output) else { return journalShare }
    try AttributionJournal(in: output).forEach { row in
      journalShare.all += 1
      if selection.covers(row) { journalShare.old += 1 }
    }
    return journalShare
  }
}
