package import PostbackPipeline
package import Tables
package import DerivedTables
internal import LookupTables
internal import TableReading

/// The enrichment of the postbacks of a part.
package struct EnrichedPart: Sendable {
  package let rows: PartRows
  package let summary: EnrichmentSummary
  /// The lines that are not rows.
  package var unreadable = UnreadableRows()

  /// Returns the enrichment with a name; nil if it is not there as it was written.
  package init?(_ name: String, in cache: PartCache) throws(PipelineFailure) {
    guard let bytes = try cache.read(name, UInt8.self) else { return nil }
    var reader = ResultReader(bytes)
    guard let rows = try PartRows(&reader, in: cache) else { return nil }
    (self.rows, summary) = (rows, EnrichmentSummary(&reader))
  }

  fileprivate init(_ rows: PartRows, _ summary: EnrichmentSummary, _ unreadable: UnreadableRows) {
    (self.rows, self.summary, self.unreadable) = (rows, summary, unreadable)
  }
}

/// Writes the enrichment of the postbacks of a part, batch by batch.
package struct EnrichedPartWriter {
  private let cache: PartCache
  private let rows: PartRowsWriter
  private var summary = EnrichmentSummary()
  private var unreadable = UnreadableRows()

  /// Begins the enrichment of a part with a name.
  package init(_ part: String, _ encoding: TableEncoding, in cache: PartCache) throws(PipelineFailure) {
    self.cache = cache
    rows = try PartRowsWriter(part, .enriched, encoding, in: cache)
  }

  package mutating func add(_ batch: Enricher.Batch) throws(PipelineFailure) {
    try rows.append(batch.rows)
    summary += batch.summary
    unreadable += batch.unreadable
  }

  /// Completes the enrichment. One with lines that are not rows is calculated again each time, so that these are reported.
  package func finish(_ name: String) throws(PipelineFailure) -> EnrichedPart {
    let part = EnrichedPart(try rows.finish(name), summary, unreadable)
    guard unreadable.count == 0 else { return part }
    var writer = ResultWriter()
    part.rows.encode(&writer)
    part.summary.encode(&writer)
    try cache.add(name, writer.bytes)
    return part
  }
}

extension EnrichmentSummary {
  fileprivate func encode(_ writer: inout ResultWriter) {
    for count in [inline, settled, wrongTimes, tests] { writer.append(count) }
    writer.append(networks) { writer, entry in
      let network = entry.value
      writer.append(entry.key)
      writer.append(network.status.rawValue)
      for count in [network.conflicts, network.twoDigits, network.trailing, network.leading] { writer.append(count) }
      writer.append(network.rows) { writer, status in
        writer.append(status.key.rawValue)
        writer.append(status.value)
      }
      writer.append(network.ambiguousByMonth) { writer, month in
        writer.append(month.key)
        writer.append(month.value)
      }
    }
  }

  fileprivate init(_ reader: inout ResultReader) {
    self.init()
    (inline, settled, wrongTimes, tests) = (reader.count(), reader.count(), reader.count(), reader.count())
    networks = reader.dictionary { reader in
      let name = reader.text()
      var network = Network()
      network.status = NetworkStatus(rawValue: reader.text()) ?? .unmapped
      (network.conflicts, network.twoDigits) = (reader.count(), reader.count())
      (network.trailing, network.leading) = (reader.count(), reader.count())
      network.rows = reader.dictionary { (EnrichStatus(rawValue: $0.text()) ?? .unmapped, $0.count()) }
      network.ambiguousByMonth = reader.dictionary { ($0.text(), $0.count()) }
      return (name, network)
    }
  }
}
