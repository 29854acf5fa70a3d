/// The position of a value in the buffer from which it was parsed, in bytes.
///
/// Values stay in the buffer; later stages carry only their ranges.
public struct ByteRange: Hashable, Sendable {
  /// The offset of the first byte.
  public var start: UInt32
  /// The number of bytes.
  public var count: UInt32

  /// The range of `count` bytes from `start`.
  public init(start: Int, count: Int) {
    self.start = UInt32(start)
    self.count = UInt32(count)
  }

  /// The range as indices of an array.
  public var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  public mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a part of another array.
  public mutating func append(_ range: ByteRange, of bytes: [UInt8]) {
    append(copying: bytes.span.extracting(range.indices))
  }
}

extension UInt8 {
  /// Indicates that the byte is white space in JSON (RFC 8259, section 2).
  @inlinable package var isWhitespace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
