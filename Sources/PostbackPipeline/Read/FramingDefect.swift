package import Signatures

/// What is wrong with a record before anybody has parsed it.
///
/// Boxed (`indirect`), so that the records without one, nearly all, stay small.
package indirect enum FramingDefect: Hashable, Sendable {
  /// Longer than `ReadLimits.recordBytes`: the record holds its first bytes.
  ///
  /// `byteCount` and `digest` are of all of it, with any white space up to its line's end.
  case tooLarge(byteCount: Int, digest: SHA256Digest)
  /// The input ends inside of it, or the compressed data is broken from here on: why, in words.
  ///
  /// The record holds the incomplete rest, often nothing.
  case truncatedInput(String)
  /// The UTF-8 byte order mark at the start of an input.
  case byteOrderMark
}
