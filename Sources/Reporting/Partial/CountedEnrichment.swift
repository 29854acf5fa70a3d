internal import CampaignEnrichment
internal import CopySettlement
internal import DailyReports
internal import PostbackCopies
internal import PostbackPipeline
internal import TableReading
internal import Tables

extension Enricher {
  /// Enriches a batch of rows of `skan_postbacks`: a row for each of them, in the same order. `copies` has their copies, and
  /// `settled` the rows of `skan_settled`. If there is a counter, it counts the rows too.
  func enrich(
    _ rows: ParsedRows,
    _ copies: RecordTable,
    settled: ParsedRows,
    _ counter: DailyCounter? = nil
  ) -> (rows: Batch, counts: DailyBatch?) {
    var cursor = RowCursor(rows)
    var settled = SettledCursor(settled)
    var encoder = RowEncoder(.enriched, encoding, inputBytes: rows.byteCount / 4)
    var reader = InlineReader()
    var summary = EnrichmentSummary()
    var counts = DailyBatch()
    var key = DailyPostbackKey()
    while cursor.next() {
      let row: EnrichedRow
      if settled.next(cursor.key(columns.key)) {
        row = enrich(cursor, &reader, copies, settled.row, .settled)
        counter?.count(cursor, row, settled.row, .settled, &key, &counts)
        summary.settled += 1
      } else {
        row = enrich(cursor, &reader, copies, cursor, .postbacks)
        counter?.count(cursor, row, cursor, .postbacks, &key, &counts)
      }
      summary.add(row, twoDigits: twoDigits(row), receivedAt: row.receivedAt)
      encode(row, cursor, &encoder)
    }
    var unreadable = cursor.unreadable
    unreadable += settled.row.unreadable
    counts.unreadable = unreadable
    return (Batch(rows: encoder.take(), summary: summary, unreadable: unreadable), counter == nil ? nil : counts)
  }
}
