internal import Glibc

// What the framer asks of a text.

extension UInt8 {
  /// Whether a line that begins with it begins an object or an array.
  var beginsValue: Bool { self == UInt8(ascii: "{") || self == UInt8(ascii: "[") }

  /// Whether an element that is neither object, array nor string ends before it.
  ///
  /// White space is not enough: an element and the junk after it are one bad record.
  var endsScalar: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\n"): true
    default: false
    }
  }
}

extension Span<UInt8> {
  /// The position of the first line end at or after `start`.
  func lineEnd(from start: Int) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return unsafe memchr(base + start, 0x0A, bytes.count - start).map {
        unsafe $0 - UnsafeMutableRawPointer(mutating: base)
      }
    }
  }

  /// Whether the line from `start`, which begins with `{`, is a record whatever is in it: where it ends with `}` and the
  /// next one begins with `{`, no value can be on both.
  func hasWholeLine(from start: Int) -> Bool {
    guard let end = lineEnd(from: start) else { return false }
    var next = end + 1
    while next < count, self[next].isWhitespace { next += 1 }
    guard next < count, self[next] == UInt8(ascii: "{") else { return false }
    var last = end
    while last > start, self[last - 1].isWhitespace { last -= 1 }
    return last > start && self[last - 1] == UInt8(ascii: "}")
  }
}
