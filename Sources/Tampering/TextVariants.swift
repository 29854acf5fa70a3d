extension String {
  /// The text without the white space around it.
  var withoutWhiteSpaceAround: String {
    let isSpace: (Character) -> Bool = { $0.isWhitespace }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return ""
    }
    return String(self[first...last])
  }

  /// The text with `%` and two hexadecimal digits decoded; nil if there are none, or if the result is not UTF-8.
  var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    var isEncoded = false
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = String(rest.prefix(2)).flatMap({ UInt8($0, radix: 16) })
      {
        isEncoded = true
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return isEncoded ? String(validating: bytes, as: UTF8.self) : nil
  }

  /// The texts that may have stood here before a change of white space, percent-encoding or letter case.
  var likelyOriginals: [String] {
    var variants = [withoutWhiteSpaceAround, lowercased(), uppercased()]
    if let percentDecoded {
      variants += [percentDecoded, percentDecoded.withoutWhiteSpaceAround]
    }
    if let point = firstIndex(of: ".") {
      let (name, ending) = (self[..<point], self[point...])
      for name in [String(name), name.uppercased(), name.lowercased()] {
        variants += [name + ending, name + ending.lowercased()]
      }
    }
    return variants.filter { $0 != self }
  }

  /// The texts in which one ASCII letter has the other case.
  var withOneLetterInTheOtherCase: [String] {
    let bytes = Array(utf8)
    return bytes.indices.filter { (bytes[$0] | 0x20) &- UInt8(ascii: "a") < 26 }.map { index in
      var other = bytes
      other[index] ^= 0x20
      return String(decoding: other, as: UTF8.self)
    }
  }

  /// Returns the texts in which one character of the alphabet is replaced by another one of it, or two neighbours are
  /// exchanged.
  func withOneOther(of alphabet: String) -> [String] {
    let bytes = Array(utf8)
    let digits = Array(alphabet.utf8)
    var variants: [[UInt8]] = []
    for index in bytes.indices where digits.contains(bytes[index]) {
      for digit in digits where digit != bytes[index] {
        var other = bytes
        other[index] = digit
        variants.append(other)
      }
      if index > 0, bytes[index] != bytes[index - 1] {
        var other = bytes
        other.swapAt(index, index - 1)
        variants.append(other)
      }
    }
    return variants.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The texts with one digit more or one character less.
  var withOneDigitMoreOrLess: [String] {
    let bytes = Array(utf8)
    var variants: [[UInt8]] = []
    for index in bytes.indices where bytes.count > 1 {
      var other = bytes
      other.remove(at: index)
      variants.append(other)
    }
    for index in 0...bytes.count {
      for digit in UInt8(ascii: "0")...UInt8(ascii: "9") {
        var other = bytes
        other.insert(digit, at: index)
        variants.append(other)
      }
    }
    return variants.map { String(decoding: $0, as: UTF8.self) }
  }
}
