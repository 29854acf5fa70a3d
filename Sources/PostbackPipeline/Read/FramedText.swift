internal import JSON
internal import Glibc

// MARK: - Bytes and lines as the framer sees them

extension UInt8 {
  /// True if the byte begins an object or an array.
  var beginsValue: Bool { self == UInt8(ascii: "{") || self == UInt8(ascii: "[") }

  /// True if an array element that is no object, array or string ends before this byte.
  ///
  /// A space does not end it: an element and any wrong text after it are one bad record.
  var endsScalar: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\n"): true
    default: false
    }
  }
}

extension Span<UInt8> {
  /// Returns the position of the first line feed at or after `start`; nil if there is none.
  func lineEnd(from start: Int) -> Int? { position(of: UInt8(ascii: "\n"), in: start..<count) }

  /// Returns the first position of a byte in a range; nil if it is not there.
  private func position(of byte: UInt8, in range: Range<Int>) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return unsafe memchr(base + range.lowerBound, Int32(byte), range.count).map {
        unsafe $0 - UnsafeMutableRawPointer(mutating: base)
      }
    }
  }

  /// Tells if the line from `start`, which begins with `{`, is one record for certain, without a scan of its content.
  /// It is if it ends with `}`, the next line that is not empty begins with `{`, as no valid value spans both lines, and
  /// no `{` in it follows a `}`, as between two objects.
  ///
  /// A line of more than `limit` bytes is none: where its bytes are not all kept, its end depends on the scan.
  func hasWholeLine(from start: Int, limit: Int) -> Bool {
    guard let end = lineEnd(from: start), end - start <= limit else { return false }
    var next = end + 1
    while next < count, self[next].isWhitespace { next += 1 }
    guard next < count, self[next] == UInt8(ascii: "{") else { return false }
    guard isBehindBrace(end, from: start) else { return false }
    var position = start
    while let brace = self.position(of: UInt8(ascii: "{"), in: position + 1..<end) {
      if isBehindBrace(brace, from: start) { return false }
      position = brace
    }
    return true
  }

  /// Tells if the last byte before `position` that is not white space, from `start` on, is `}`.
  private func isBehindBrace(_ position: Int, from start: Int) -> Bool {
    var last = position
    while last > start, self[last - 1].isWhitespace { last -= 1 }
    return last > start && self[last - 1] == UInt8(ascii: "}")
  }
}
