/// Operations on eight bytes at once, with the first byte lowest.
enum Word {
  /// Marks, by its top bit, each byte that is 0.
  @inline(__always)
  private static func zeros(of word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~((word & low &+ low) | word | low)
  }

  /// Marks, by its top bit, each byte that is a control character, below 0x20.
  @inline(__always)
  static func controls(of word: UInt64) -> UInt64 { zeros(of: word & 0xE0E0_E0E0_E0E0_E0E0) }

  /// Marks, by its top bit, each byte that equals `byte`.
  @inline(__always)
  static func bytes(of word: UInt64, equalTo byte: UInt8) -> UInt64 {
    zeros(of: word ^ (0x0101_0101_0101_0101 &* UInt64(byte)))
  }
}

extension Span<UInt8> {
  /// Indicates that a comma, a quote or a control character is among the bytes.
  var needsQuotesInCSV: Bool {
    contains { word in
      Word.bytes(of: word, equalTo: UInt8(ascii: "\"")) | Word.bytes(of: word, equalTo: UInt8(ascii: ","))
        | Word.controls(of: word)
    }
  }

  /// Indicates that the bytes are a JSON string and a CSV field as they are, but for the quotes of the string.
  var isPlain: Bool {
    !isEmpty
      && !contains { word in
        Word.bytes(of: word, equalTo: UInt8(ascii: "\"")) | Word.bytes(of: word, equalTo: UInt8(ascii: ","))
          | Word.bytes(of: word, equalTo: UInt8(ascii: "\\")) | Word.controls(of: word)
      }
  }

  /// Indicates that a spreadsheet takes the text for a formula: it begins with a sign of OWASP's list ("CSV Injection"), or with the
  /// full-width form of one (U+FF0B, U+FF0D, U+FF1D, U+FF20), which East Asian versions read alike.
  var isFormula: Bool {
    guard !isEmpty else { return false }
    return switch self[0] {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D: true
    case 0xEF: count > 2 && self[1] == 0xBC && [0x8B, 0x8D, 0x9D, 0xA0].contains(self[2])
    default: false
    }
  }

  /// Indicates that CSV for a spreadsheet has an apostrophe more before the text: it is a formula, or one behind apostrophes. So
  /// one apostrophe less is always the text again.
  package var needsApostrophe: Bool {
    var start = 0
    while start < count, self[start] == UInt8(ascii: "'") { start += 1 }
    return extracting(start..<count).isFormula
  }

  /// Indicates that `find` marks a byte.
  @inline(__always)
  private func contains(_ find: (UInt64) -> UInt64) -> Bool {
    unsafe withUnsafeBytes { bytes in
      guard bytes.count >= 8 else {
        var word: UInt64 = 0x2020_2020_2020_2020
        for index in bytes.indices { unsafe word = word << 8 | UInt64(bytes[index]) }
        return find(word) != 0
      }
      // The last word overlaps the one before it.
      let last = bytes.count - 8
      var index = 0
      while index < last {
        if find(unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) != 0 { return true }
        index += 8
      }
      return find(unsafe bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)) != 0
    }
  }
}
