internal import JSON

/// Some thousand records, in order: of one input, or of several that are small.
package struct RawBatch: BatchOfInputs {
  /// The zero bytes after the last record, which a SIMD parser may read.
  package static let padding = JSONParser.padding

  /// The records' bytes, then `padding` zero bytes.
  package var bytes: [UInt8]
  /// The records; none in a pause, and where an input ends behind its last batch.
  package var records: [Record]
  /// Where the records come from, in their order; nothing in a pause.
  package var origins: [BatchOrigin]

  /// Nothing to read for now.
  static let pause = RawBatch(bytes: [], records: [], origins: [])

  private static let smallSize = 64 * 1024
  private static let smallCount = 256

  /// Whether another batch may be put behind it: it ends an input, and there is not much of it.
  var isSmall: Bool {
    origins.last?.standing?.end != nil && bytes.count < Self.smallSize && records.count < Self.smallCount
  }

  /// The batch of one of its records alone.
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

  /// Puts another batch behind it.
  mutating func append(_ next: RawBatch) {
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

/// A batch at any stage, or, with nothing in it, the word that there is nothing to read for now: a pause.
///
/// A pause stays where it is between batches. Whoever works on several batches at once hands on all before the pause, and
/// the pause, before it asks for more: as long as nothing comes nobody would hand them on.
package protocol BatchOfInputs: Sendable {
  /// Where the records come from, in their order; nothing in a pause.
  var origins: [BatchOrigin] { get }
}

extension BatchOfInputs {
  /// Whether this is the word that there is nothing to read for now.
  package var isPause: Bool { origins.isEmpty }
}

/// An input that records of a batch come from.
package struct BatchOrigin: Sendable {
  /// The input.
  package var input: InputFile
  /// How many of the batch's records are its.
  package var recordCount: Int
  /// Bytes of the input, as stored, that were used so far: a measure of progress.
  package var consumed: Int64
  /// How far the input is with this batch; nil where nobody keeps that.
  package var standing: InputStanding?
  /// For one record that was rejected before and is taken up again: what is known of it. The input is then a part of
  /// `skan_rejects`.
  var fedBack: FedBackRecord?

  /// What rows name as the file that a record comes from.
  var sourceFile: String { fedBack?.reject.source.file ?? input.path }
}

/// How far an input is with the batch that carries this, to be committed with the batch's rows.
package struct InputStanding: Sendable {
  /// What the ledger is to know of the input; nil where that is nothing new.
  package var input: LedgerInput?
  /// How it ended; nil while there is more to read.
  package var end: InputEnd?
}

/// How an input ended.
package enum InputEnd: Sendable, Equatable {
  /// All of it was read.
  case finished
  /// Nothing of it was read: the same content was, from this path.
  case known(path: String)
  /// It could not be read to its end, for this reason.
  case failed(reason: String)

  /// The word for it in counts.
  var outcome: String {
    switch self {
    case .finished: "done"
    case .known: "skipped"
    case .failed: "failed"
    }
  }
}
