package import Ledger
internal import JSON

/// A batch of up to some thousand records that are not parsed yet, in order: of one input, or of several small ones.
package struct RawBatch: Sendable {
  /// The number of zero bytes after the last record, which a SIMD parser may read.
  package static let padding = JSONParser.padding

  /// The bytes of the records, then `padding` zero bytes; empty if the batch has no records.
  package var bytes: [UInt8]
  /// The records; none in a batch that only reports the end of an input.
  package var records: [Record]
  /// The inputs of the records, in the order of the records.
  package var origins: [BatchOrigin]

  private static let smallSize = 64 * 1024
  private static let smallCount = 256

  /// A batch with one record, which begins at a line of an input.
  package init(_ record: [UInt8], line: Int, of input: InputFile) {
    bytes = record + [UInt8](repeating: 0, count: Self.padding)
    records = [Record(bytes: ByteRange(start: 0, count: record.count), line: line, defect: nil)]
    origins = [BatchOrigin(input: input, recordCount: 1, consumed: 0)]
  }

  init(bytes: [UInt8], records: [Record], origins: [BatchOrigin]) {
    (self.bytes, self.records, self.origins) = (bytes, records, origins)
  }

  /// True if another batch may be appended: this one ends an input, and has under 64 KiB, fewer than 256 records and
  /// fewer than 256 inputs, which may all be without records.
  var isSmall: Bool {
    origins.last?.checkpoint?.end != nil && bytes.count < Self.smallSize && records.count < Self.smallCount
      && origins.count < Self.smallCount
  }

  /// Returns a batch with the record at `index` alone.
  package func only(_ index: Int) -> RawBatch {
    var before = 0
    let origin = origins.first { origin in
      before += origin.recordCount
      return index < before
    }
    var only = RawBatch(bytes: bytes, records: [records[index]], origins: [])
    if var origin {
      origin.recordCount = 1
      only.origins = [origin]
    }
    return only
  }

  /// Returns the batch with some of its records alone, which are given by their places in ascending order.
  package func keeping(_ places: [Int]) -> RawBatch {
    var kept = self
    kept.records = places.map { records[$0] }
    var (before, next) = (0, 0)
    for index in origins.indices {
      before += origins[index].recordCount
      let first = next
      while next < places.count, places[next] < before { next += 1 }
      kept.origins[index].recordCount = next - first
    }
    return kept
  }

  /// Returns a batch with the records in a range, and with their bytes alone.
  package func extracting(_ range: Range<Int>) -> RawBatch {
    guard let first = records[range].first, let last = records[range].last else {
      return RawBatch(bytes: [], records: [], origins: [])
    }
    let start = first.bytes.indices.lowerBound
    var part = RawBatch(bytes: [], records: [], origins: [])
    part.bytes.reserveCapacity(last.bytes.indices.upperBound - start + Self.padding)
    part.bytes += bytes[start..<last.bytes.indices.upperBound]
    part.bytes.append(contentsOf: repeatElement(0, count: Self.padding))
    part.records = records[range].map { record in
      var record = record
      record.bytes = ByteRange(start: record.bytes.indices.lowerBound - start, count: Int(record.bytes.count))
      return record
    }
    var before = 0
    for var origin in origins {
      let shared = (before..<before + origin.recordCount).clamped(to: range)
      before += origin.recordCount
      origin.recordCount = shared.count
      if !shared.isEmpty { part.origins.append(origin) }
    }
    return part
  }

  /// Appends another batch.
  package mutating func append(_ next: RawBatch) {
    if !next.records.isEmpty {
      if !records.isEmpty { bytes.removeLast(Self.padding) }
      let start = bytes.count
      bytes += next.bytes
      for var record in next.records {
        record.bytes = ByteRange(start: start + Int(record.bytes.start), count: Int(record.bytes.count))
        records.append(record)
      }
    }
    origins += next.origins
  }
}

/// One of the inputs of a batch, with its share of the records.
package struct BatchOrigin: Sendable {
  package var input: InputFile
  /// The number of records of the batch that come from the input.
  package var recordCount: Int
  /// The number of bytes of the input, as stored, that were used so far: a measure of progress.
  package var consumed: Int64
  /// The checkpoint of the input after this batch; nil if none is kept.
  package var checkpoint: InputCheckpoint?
  /// For one record that was rejected before and is taken up again: what is known of it. The input is then a part of
  /// `skan_rejects`.
  var reprocessed: ReprocessedRecord?

  /// The name of the file that rows give as the source of a record.
  var sourceFile: String { reprocessed?.reject.source.file ?? input.path }
}

/// The checkpoint of an input after a batch, to be committed together with the rows of that batch.
package struct InputCheckpoint: Sendable {
  /// The entry of the input to commit to the ledger; nil if the ledger needs no new entry.
  package var input: LedgerInput?
  /// The end of the input; nil while there is more to read.
  package var end: InputEnd?
}

/// The way in which the reading of an input ended.
package enum InputEnd: Sendable, Equatable {
  /// The whole input was read.
  case finished
  /// No records were handed on: the same content was read before, from this path, which is nil if it was put away long
  /// ago.
  case known(path: String?)
  /// The input could not be read to its end, for this reason.
  case failed(reason: String)

  /// The outcome, as the ledger counts it.
  var outcome: InputOutcome {
    switch self {
    case .finished: .done
    case .known: .skipped
    case .failed: .failed
    }
  }
}
