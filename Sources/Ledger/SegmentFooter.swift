internal import CXxhash
internal import PostbackVerification

/// The last bytes of a segment: the range of the log that it has, and the sizes of its sections.
struct SegmentFooter: Sendable {
  /// The position in the log of the first entry.
  var first: Int64
  /// The position behind the last entry, with the checksum of the log up to there.
  var end: SeenMark
  var entryCount: Int64 = 0
  var numberCount: Int64 = 0
  /// The number of first bits of a key that select its bucket.
  var bucketBits: Int64
  var filterWords: Int64
  /// The checksum of the directory and the filter.
  var checksum: UInt64 = 0
  /// Indicates that the entries have digests by which resends are recognised.
  var hasResends = true

  /// The bytes “pbsegmnt”.
  private static let magic: UInt64 = 0x746E_6D67_6573_6270
  /// The version that is written. Entries of version 1 have no digests for resends.
  private static let version: UInt64 = 2
  static let wordCount = 11
  static let byteCount = Int64(wordCount * 8)

  /// The number of entries in a bucket, on average, is at most this.
  private static let greatestBucket: Int64 = 32

  /// Creates the footer of a segment with at most `count` entries.
  init(first: Int64, end: SeenMark, expecting count: Int64) {
    (self.first, self.end) = (first, end)
    bucketBits = 0
    while count >> bucketBits > Self.greatestBucket { bucketBits += 1 }
    filterWords = Int64(SegmentFilter.wordCount(forKeys: count))
  }

  /// Reads a footer; nil if it is not one, or is damaged.
  init?(_ words: [UInt64]) {
    let words = words.map { UInt64(littleEndian: $0) }
    guard words.count == Self.wordCount, words[0] == Self.magic, (1...Self.version).contains(words[1]),
      words[10] == Self.checksum(of: Array(words[..<10])), words[2...8].allSatisfy({ $0 < 1 << 48 }), words[7] < 33
    else { return nil }
    hasResends = words[1] > 1
    first = Int64(words[2])
    end = SeenMark(entries: Int64(words[3]), checksum: UInt32(truncatingIfNeeded: words[4]))
    entryCount = Int64(words[5])
    numberCount = Int64(words[6])
    bucketBits = Int64(words[7])
    filterWords = Int64(words[8])
    checksum = words[9]
    guard first < end.entries, end.entries - first <= SeenSegment.greatestRange,
      entryCount <= end.entries - first, numberCount <= entryCount
    else { return nil }
  }

  /// The words of the footer in the file.
  var words: [UInt64] {
    let numbers = [first, end.entries, Int64(end.checksum), entryCount, numberCount, bucketBits, filterWords]
    let words = [Self.magic, hasResends ? Self.version : 1] + numbers.map { UInt64($0) } + [checksum]
    return (words + [Self.checksum(of: words)]).map(\.littleEndian)
  }

  var bucketCount: Int { 1 << Int(bucketBits) }
  var directoryCount: Int { bucketCount + 1 }
  /// The number of bytes of an entry: key, digest, unsigned fields, the position relative to the segment, and the digest by
  /// which resends are recognised, 0 where there is none.
  var entryBytes: Int { hasResends ? 36 : 28 }
  var numbersStart: Int64 { entryCount * Int64(entryBytes) }
  var directoryStart: Int64 { numbersStart + numberCount * Int64(SeenSegment.numberBytes) }
  var filterStart: Int64 { directoryStart + Int64(directoryCount) * 8 }
  var fileBytes: Int64 { filterStart + filterWords * 8 + Self.byteCount }

  func bucket(of key: PostbackKey) -> Int { bucketBits == 0 ? 0 : Int(key.high >> UInt64(64 - bucketBits)) }

  static func checksum(_ directory: [UInt64], _ filter: [UInt64]) -> UInt64 {
    checksum(of: directory) ^ checksum(of: filter).byteSwapped
  }

  private static func checksum(of words: [UInt64]) -> UInt64 {
    unsafe words.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
  }
}

/// A Bloom filter in blocks of 64 bytes: all bits of a key are in one block, so that a look takes one access to memory.
struct SegmentFilter: Sendable {
  private(set) var words: [UInt64]

  private static let bitsPerKey = 10
  private static let blockWords = 8
  private static let bitsOfKey = 6

  static func wordCount(forKeys count: Int64) -> Int {
    max(Int(count) * bitsPerKey / (64 * blockWords) + 1, 1) * blockWords
  }

  /// Keys in order fill the blocks in order.
  private func block(of key: PostbackKey) -> Int {
    Int(key.high.multipliedFullWidth(by: UInt64(words.count / Self.blockWords)).high) * Self.blockWords
  }

  mutating func insert(_ key: PostbackKey) {
    let block = block(of: key)
    for bit in 0..<Self.bitsOfKey {
      let place = Int(truncatingIfNeeded: key.low >> UInt64(9 * bit)) & 511
      words[block + place >> 6] |= 1 << UInt64(place & 63)
    }
  }

  func mayContain(_ key: PostbackKey) -> Bool {
    let start = block(of: key)
    return unsafe words.withUnsafeBufferPointer { words in
      for bit in 0..<Self.bitsOfKey {
        let place = Int(truncatingIfNeeded: key.low >> UInt64(9 * bit)) & 511
        if unsafe words[start + place >> 6] & 1 << UInt64(place & 63) == 0 { return false }
      }
      return true
    }
  }

  /// Reads a word of the block of each key, all at once, so that the waits for memory overlap.
  func prefetch(_ keys: [PostbackKey]) -> UInt64 {
    let count = UInt64(words.count / Self.blockWords)
    return unsafe words.withUnsafeBufferPointer { words in
      keys.reduce(0) { all, key in
        unsafe all ^ words[Int(key.high.multipliedFullWidth(by: count).high) * Self.blockWords]
      }
    }
  }
}
