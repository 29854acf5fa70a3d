package import Base
package import SKAdNetwork
package import Ledger
internal import JSON

/// The facts of a reject row that go with its record when it is read again.
///
/// An object, because most batches have none, and every batch has room for one.
package final class ReprocessedRecord: Sendable {
  /// The row.
  package let reject: ReprocessedReject
  /// The time of receipt and the channel of the row; an envelope in the record has the same.
  let arrival: Arrival
  fileprivate let forwarder: [UInt8]?
  fileprivate let query: [UInt8]?
  fileprivate let remoteAddress: [UInt8]?

  /// A record, with what its envelope said.
  package init(
    reject: ReprocessedReject,
    receivedAt: Timestamp?,
    source: ReceivedAtSource?,
    channel: Channel? = nil,
    forwarder: [UInt8]? = nil,
    query: [UInt8]? = nil,
    remoteAddress: [UInt8]? = nil
  ) {
    self.reject = reject
    arrival = Arrival(receivedAt: receivedAt, source: source, channel: channel)
    (self.forwarder, self.query, self.remoteAddress) = (forwarder, query, remoteAddress)
  }

  /// A record whose envelope is in the bytes of a batch, at the ranges that `arrival` has.
  fileprivate init(_ record: ReprocessedRecord, _ arrival: Arrival) {
    reject = record.reject
    self.arrival = arrival
    (forwarder, query, remoteAddress) = (nil, nil, nil)
  }
}

extension RawBatch {
  /// A batch to which records are added one by one, with room for so many bytes of them.
  package init(bytesToAdd: Int) {
    self.init(bytes: [], records: [], origins: [])
    bytes.reserveCapacity(bytesToAdd + Self.padding)
    bytes.append(contentsOf: repeatElement(0, count: Self.padding))
  }

  /// Adds a record that is taken up again, from a part of `skan_rejects` of which so many bytes were used.
  package mutating func append(_ raw: [UInt8], _ record: ReprocessedRecord, from part: InputFile, consumed: Int64) {
    bytes.removeLast(Self.padding)
    records.append(
      Record(bytes: .init(start: bytes.count, count: raw.count), line: record.reject.source.line, defect: nil)
    )
    bytes += raw
    func add(_ text: [UInt8]?) -> ByteRange? {
      guard let text else { return nil }
      bytes += text
      return ByteRange(start: bytes.count - text.count, count: text.count)
    }
    var arrival = record.arrival
    arrival.forwarder = add(record.forwarder)
    arrival.query = add(record.query)
    arrival.remoteAddress = add(record.remoteAddress)
    bytes.append(contentsOf: repeatElement(0, count: Self.padding))
    origins.append(BatchOrigin(input: part, recordCount: 1, consumed: consumed, reprocessed: .init(record, arrival)))
  }

  /// The batch without the records on some lines of some inputs, by their paths.
  package consuming func removing(_ lines: [String: Set<Int>]) -> RawBatch {
    var kept: [Record] = []
    var start = 0
    for index in origins.indices {
      let those = records[start..<start + origins[index].recordCount]
      start += those.count
      guard let removed = lines[origins[index].input.path] else {
        kept += those
        continue
      }
      let before = kept.count
      kept += those.filter { !removed.contains($0.line) }
      origins[index].recordCount = kept.count - before
    }
    records = kept
    return self
  }
}
