extension ArraySlice<UInt8> {
  /// Returns the JSON text with `\ufffd` in place of each escape for half of a surrogate pair, at the same length; nil
  /// where it has no such escape.
  func replacingLoneSurrogates() -> [UInt8]? {
    var replaced: [UInt8]?
    var index = startIndex
    while let escape = self[index...].firstIndex(of: UInt8(ascii: "\\")) {
      switch surrogate(at: escape) {
      case .high where surrogate(at: escape + 6) == .low: index = escape + 12
      case .high, .low:
        if replaced == nil { replaced = Array(self) }
        let start = escape - startIndex
        replaced?.replaceSubrange(start..<start + 6, with: "\\ufffd".utf8)
        index = escape + 6
      // Any other escape has at least one character after the backslash.
      case nil: index = Swift.min(escape + 2, endIndex)
      }
    }
    return replaced
  }

  private enum Surrogate {
    case high, low
  }

  /// The half of a surrogate pair that the escape at an index stands for: high for `\ud8…` to `\udb…`, low for `\udc…`
  /// to `\udf…`; nil for anything else.
  private func surrogate(at index: Int) -> Surrogate? {
    guard index + 6 <= endIndex, self[index] == UInt8(ascii: "\\"), self[index + 1] == UInt8(ascii: "u"),
      let unit = UInt16(String(decoding: self[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    else { return nil }
    return switch unit {
    case 0xD800...0xDBFF: .high
    case 0xDC00...0xDFFF: .low
    default: nil
    }
  }
}
