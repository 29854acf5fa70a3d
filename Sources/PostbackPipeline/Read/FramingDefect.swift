package import Signatures

/// A defect of a record that framing finds, before the record is parsed.
///
/// The enumeration is boxed (`indirect`) to keep records small: nearly all have no defect.
package indirect enum FramingDefect: Hashable, Sendable {
  /// The record is longer than `ReadLimits.recordBytes`, and only its first bytes are kept.
  ///
  /// `byteCount` and `digest` are those of the whole record, with any white space at its end.
  case tooLarge(byteCount: Int, digest: SHA256Digest)
  /// The input ends inside the record or inside an array, or its compressed data cannot be used from here on; the
  /// reason in words.
  ///
  /// The record holds the incomplete rest, which is often empty.
  case truncatedInput(String)
  /// The record is the UTF-8 byte order mark at the start of an input.
  case byteOrderMark
}
