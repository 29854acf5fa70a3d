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
