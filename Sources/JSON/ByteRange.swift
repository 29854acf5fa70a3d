/// Where a value's bytes stand in the buffer that it was parsed from.
///
/// Values stay where they were read; a range is all that later stages carry.
public struct ByteRange: Hashable, Sendable {
  /// Offset of the first byte.
  public var start: UInt32
  /// Number of bytes.
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
