package import DerivedTables
package import PostbackPipeline
internal import TableReading
package import Tables

/// The settlement of the postbacks of a part.
package struct SettledPart: Sendable {
  package let rows: PartRows
  package let events: PartRows
  private let counted: Counted
  /// The lines that are not rows.
  package var unreadable = UnreadableRows()

  /// The counts, which most readers of a part do not need.
  private enum Counted: Sendable {
    case counts(SettlementCounts)
    case encoded(ResultReader)
  }

  /// Returns the counts.
  package func counts() -> SettlementCounts {
    switch counted {
    case .counts(let counts): return counts
    case .encoded(var reader): return SettlementCounts(&reader)
    }
  }

  /// Returns the settlement with a name; nil if it is not there as it was written.
  package init?(_ name: String, in cache: PartCache) throws(PipelineFailure) {
    guard let bytes = try cache.read(name, UInt8.self) else { return nil }
    var reader = ResultReader(bytes)
    guard let rows = try PartRows(&reader, in: cache), let events = try PartRows(&reader, in: cache) else { return nil }
    (self.rows, self.events, counted) = (rows, events, .encoded(reader))
  }

  fileprivate init(_ rows: PartRows, _ events: PartRows, _ counts: SettlementCounts, _ unreadable: UnreadableRows) {
    (self.rows, self.events, counted, self.unreadable) = (rows, events, .counts(counts), unreadable)
  }
}

/// Writes the settlement of the postbacks of a part, batch by batch.
package struct SettledPartWriter {
  private let cache: PartCache
  private let rows: PartRowsWriter
  private let events: PartRowsWriter
  private var counts = SettlementCounts()
  private var unreadable = UnreadableRows()

  /// Begins the settlement of a part with a name.
  package init(_ part: String, _ encoding: TableEncoding, in cache: PartCache) throws(PipelineFailure) {
    self.cache = cache
    rows = try PartRowsWriter(part, .settled, encoding, in: cache)
    events = try PartRowsWriter(part, .settledEvents, encoding, in: cache)
  }

  package mutating func add(_ batch: Settler.Batch) throws(PipelineFailure) {
    try rows.append(batch.rows)
    try events.append(batch.events)
    counts += batch.counts
    unreadable += batch.unreadable
  }

  /// Completes the settlement. One with lines that are not rows is calculated again each time, so that these are reported.
  package func finish(_ name: String) throws(PipelineFailure) -> SettledPart {
    let part = SettledPart(try rows.finish(name), try events.finish(name), counts, unreadable)
    guard unreadable.count == 0 else { return part }
    var writer = ResultWriter()
    part.rows.encode(&writer)
    part.events.encode(&writer)
    counts.encode(&writer)
    try cache.add(name, writer.bytes)
    return part
  }
}
