internal import JSON
package import Signatures

/// The records of a text that is in memory: one object, an array of them, or JSON Lines, as of a file.
package struct SplitRecords: Sendable {
  /// The records' bytes.
  package private(set) var bytes: [UInt8] = []
  /// The records, in order. One that is longer than the limit says so and is cut.
  package private(set) var records: [Record] = []

  /// Splits a text into records of at most so many bytes.
  package init(of text: Span<UInt8>, recordBytes: Int) throws(LibcryptoFailure) {
    let limits = ReadLimits(recordBytes: recordBytes)
    var framer = try Framer(limits: limits, capacity: text.count + RawBatch.padding)
    var position = 0
    while position < text.count {
      position += try framer.frame(text.extracting(position...))
      if framer.isFull { take(from: &framer) }
    }
    try framer.finish()
    take(from: &framer)
  }

  private mutating func take(from framer: inout Framer) {
    let (bytes, records) = framer.take()
    let start = self.bytes.count
    self.bytes += bytes
    for var record in records {
      record.bytes = ByteRange(start: start + Int(record.bytes.start), count: Int(record.bytes.count))
      self.records.append(record)
    }
  }
}
