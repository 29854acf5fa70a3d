internal import CZlib

/// The CRC-32 of bytes that come piece by piece (zlib's, RFC 1952).
package struct CRC32: Equatable, Sendable {
  /// The checksum so far.
  package private(set) var value: UInt32

  /// The checksum of no bytes, or of those so far.
  package init(_ value: UInt32 = 0) { self.value = value }

  /// The checksum of some bytes.
  package init(of bytes: [UInt8]) {
    self.init()
    update(bytes.span)
  }

  /// Takes more bytes in.
  package mutating func update(_ words: Span<some BitwiseCopyable>) {
    value = unsafe words.withUnsafeBytes { bytes in
      let start = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
      // Without bytes zlib would begin anew.
      guard let start = unsafe start, bytes.count > 0 else { return value }
      return UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(value), start, bytes.count))
    }
  }

  /// Takes more bytes in, whose checksum is known.
  package mutating func append(_ next: UInt32, byteCount: Int) {
    value = UInt32(truncatingIfNeeded: crc32_combine(UInt(value), UInt(next), byteCount))
  }
}
