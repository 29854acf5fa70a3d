extension OutputSpan<UInt8> {
  /// Appends the lowest `count` bytes of a word, at most eight, the lowest first. Faster where the span has room for a
  /// whole word.
  @inlinable @inline(__always)
  package mutating func append(lowest count: Int, of word: UInt64) {
    precondition((0...8).contains(count), "a word has eight bytes")
    guard freeCapacity >= 8 else {
      for index in 0..<count { append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
      return
    }
    unsafe withUnsafeMutableBufferPointer { bytes, initializedCount in
      unsafe UnsafeMutableRawBufferPointer(bytes)
        .storeBytes(of: word.littleEndian, toByteOffset: initializedCount, as: UInt64.self)
      initializedCount += count
    }
  }
}

extension String {
  /// The text of at most `capacity` bytes of UTF-8 that `write` writes.
  package init(capacity: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    var text: [UInt8] = []
    text.append(addingCapacity: capacity, initializingWith: write)
    self.init(decoding: text, as: UTF8.self)
  }
}

extension UInt64 {
  /// The two decimal digits of a number below 100 as text, the first one in the lowest byte.
  @inlinable @inline(__always)
  package var twoDigits: UInt64 {
    let tens = (self * 103) >> 10
    return 0x3030 | tens | (self &- 10 * tens) << 8
  }

  /// The eight decimal digits of a number below 10⁸ as text, the first one in the lowest byte.
  @inlinable @inline(__always)
  package var eightDigits: UInt64 {
    // Each step divides all groups of digits in two: four and four, two and two, one and one.
    let fours = self / 10_000 | (self % 10_000) << 32
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007F_0000_007F
    let twos = hundreds | (fours &- 100 * hundreds) << 16
    let tens = (twos * 103) >> 10 & 0x000F_000F_000F_000F
    return 0x3030_3030_3030_3030 | tens | (twos &- 10 * tens) << 8
  }

  /// The number of bits before the first digit that is not 0, of eight digits as text of which one is not 0.
  @inlinable @inline(__always)
  package var bitsOfLeadingZeros: Int { (self & 0x0F0F_0F0F_0F0F_0F0F).trailingZeroBitCount & ~7 }
}
