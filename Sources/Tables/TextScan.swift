/// Operations on eight bytes at once, with the first byte lowest. Only the lowest mark in a result is reliable; higher
/// bytes may be marked wrongly.
enum Word {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Marks, by its top bit, each byte that is below a limit of at most 128.
  static func bytes(of word: UInt64, below limit: UInt8) -> UInt64 {
    (word &- ones &* UInt64(limit)) & ~word & tops
  }

  /// Marks, by its top bit, each byte that equals `byte`.
  static func bytes(of word: UInt64, equalTo byte: UInt8) -> UInt64 {
    bytes(of: word ^ (ones &* UInt64(byte)), below: 1)
  }
}

extension Span<UInt8> {
  /// Indicates that a comma, a quote or a control character is among the bytes.
  var needsQuotesInCSV: Bool {
    contains { word in
      Word.bytes(of: word, equalTo: UInt8(ascii: "\"")) | Word.bytes(of: word, equalTo: UInt8(ascii: ","))
        | Word.bytes(of: word, below: 0x20)
    }
  }

  /// Indicates that the bytes are a JSON string and a CSV field as they are, but for the quotes of the string.
  var isPlain: Bool {
    !isEmpty
      && !contains { word in
        Word.bytes(of: word, equalTo: UInt8(ascii: "\"")) | Word.bytes(of: word, equalTo: UInt8(ascii: ","))
          | Word.bytes(of: word, equalTo: UInt8(ascii: "\\")) | Word.bytes(of: word, below: 0x20)
      }
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
