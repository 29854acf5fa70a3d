package import JSON

/// One record as it was framed: the bytes of what should be one postback or envelope.
package struct Record: Hashable, Sendable {
  /// Where it stands in `RawBatch.bytes`.
  package var bytes: ByteRange
  /// The line where it starts, from 1, of the decompressed text.
  package var line: Int
  /// What is known to be wrong with it.
  package var defect: FramingDefect?
}
