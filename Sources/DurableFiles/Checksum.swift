internal import CDeflate
internal import CZlib

/// The CRC-32 of bytes that come in pieces, as zlib and gzip have it (RFC 1952).
///
/// libdeflate computes it three times as fast as zlib, which alone can combine checksums.
package struct CRC32: Equatable, Sendable {
  /// The checksum of the bytes so far.
  package private(set) var value: UInt32

  /// Starts with the checksum of earlier bytes; 0 is the checksum of no bytes.
  package init(_ value: UInt32 = 0) { self.value = value }

  /// Computes the checksum of some bytes.
  package init(of bytes: [UInt8]) {
    self.init()
    update(bytes.span)
  }

  /// Adds the bytes of some words.
  package mutating func update(_ words: Span<some BitwiseCopyable>) {
    value = unsafe words.withUnsafeBytes { bytes in
      // libdeflate would start anew if it were called without bytes.
      guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else { return value }
      return unsafe libdeflate_crc32(value, start, bytes.count)
    }
  }

  /// Adds `byteCount` bytes of which only the checksum is known.
  package mutating func append(_ next: UInt32, byteCount: Int) {
    value = UInt32(truncatingIfNeeded: crc32_combine(UInt(value), UInt(next), byteCount))
  }
}
