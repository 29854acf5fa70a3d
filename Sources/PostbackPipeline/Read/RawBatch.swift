internal import JSON

/// A few thousand records of one input, in order.
package struct RawBatch: Sendable {
  /// The zero bytes after the last record, which a SIMD parser may read.
  package static let padding = JSONParser.padding

  /// Where the records come from.
  package var input: InputFile
  /// The records' bytes, then `padding` zero bytes.
  package var bytes: [UInt8]
  /// The records, never none.
  package var records: [Record]
  /// Bytes of the input, as stored, that were used so far: a measure of progress.
  package var consumed: Int64
}
