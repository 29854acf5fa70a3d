package import JSON

/// One framed record: the bytes that should be one postback, or one envelope with a postback.
package struct Record: Hashable, Sendable {
  /// The range of the record in `RawBatch.bytes`.
  package var bytes: ByteRange
  /// The line of the decompressed text in which the record begins, from 1.
  package var line: Int
  /// The defect that framing found; nil if there is none.
  package var defect: FramingDefect?
}
