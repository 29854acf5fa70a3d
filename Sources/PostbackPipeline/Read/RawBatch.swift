internal import JSON

/// A few thousand records of one input, in order.
package struct RawBatch: Sendable {
  /// The zero bytes after the last record, which a SIMD parser may read.
  package static let padding = JSONParser.padding

  /// Where the records come from.
  package var input: InputFile
  /// The records' bytes, then `padding` zero bytes.
  package var bytes: [UInt8]
  /// The records; none in a pause, and where an input ends behind the last batch.
  package var records: [Record]
  /// Bytes of the input, as stored, that were used so far: a measure of progress.
  package var consumed: Int64
  /// How far the input is with this batch; nil in a pause.
  package var standing: InputStanding?

  /// Nothing to read for now.
  static let pause = RawBatch(input: InputFile(path: ""), bytes: [], records: [], consumed: 0)
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
