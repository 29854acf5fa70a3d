package import Base

extension Base64 {
  /// Returns the bytes that a text encodes in any of the forms that `canonical(_:)` undoes; nil if it is none of them.
  package func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    if decode(Array(text).span, appendingTo: &bytes) { return bytes }
    guard let digits = canonical(text), decode(digits.span, appendingTo: &bytes) else { return nil }
    return bytes
  }

  /// Returns a text in canonical base64, as which this alphabet has it; nil if it is none.
  ///
  /// Undoes the other alphabet, missing or further padding, line breaks and tabs, and spaces, which stand for `+` or are further
  /// ones. Of several readings, one whose padding is right comes first, and of those one in which the spaces inside stand for `+`.
  package func canonical(_ text: some Collection<UInt8>) -> [UInt8]? {
    let line = text.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\t") }
    let whole = line.drop { $0 == UInt8(ascii: " ") }
    let trimmed = whole[..<((whole.lastIndex { $0 != UInt8(ascii: " ") } ?? whole.startIndex - 1) + 1)]
    let plus = self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-")
    let readings = [
      reading(of: trimmed, space: plus), reading(of: whole, space: plus), reading(of: trimmed, space: nil),
    ]
    let right = readings.filter { self == .standard && ($0.digits.count + $0.padding) % 4 == 0 }
    for reading in right + readings {
      var digits = reading.digits
      if self == .standard { digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4) }
      var decoded: [UInt8] = []
      if decode(digits.span, appendingTo: &decoded) { return digits }
    }
    return nil
  }

  /// Returns the digits of a text in this alphabet, with `space` in the place of a space, and the length of its padding.
  private func reading(of text: ArraySlice<UInt8>, space: UInt8?) -> (digits: [UInt8], padding: Int) {
    let end = (text.lastIndex { $0 != UInt8(ascii: "=") } ?? text.startIndex - 1) + 1
    let digits = text[..<end].compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: " "): space
      case UInt8(ascii: "-") where self == .standard: UInt8(ascii: "+")
      case UInt8(ascii: "_") where self == .standard: UInt8(ascii: "/")
      case UInt8(ascii: "+") where self == .url: UInt8(ascii: "-")
      case UInt8(ascii: "/") where self == .url: UInt8(ascii: "_")
      default: byte
      }
    }
    return (digits, text.endIndex - end)
  }
}
