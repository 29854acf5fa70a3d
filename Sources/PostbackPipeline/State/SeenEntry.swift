/// An entry of `seen.log`: the first postback with its key, the place where it was read, and the time.
package struct SeenEntry: Equatable, Sendable {
  /// The part of the entry that the index keeps.
  package var seen: TransactionIndex.Seen
  /// The number of the input in the ledger.
  package var inputID: UInt32
  /// The time at which its row was made, in seconds since 1970.
  package var seenAt: UInt32
  /// The number of the line in the input.
  package var line: UInt64

  /// Creates an entry.
  package init(_ seen: TransactionIndex.Seen, inputID: UInt32, seenAt: UInt32, line: UInt64) {
    self.seen = seen
    self.inputID = inputID
    self.seenAt = seenAt
    self.line = line
  }
}

extension SeenEntry {
  /// The number of 8-byte words that an entry has in the file, each least significant byte first.
  static let wordCount = 6
  /// The number of bytes that an entry has in the file.
  static let byteCount = Int64(wordCount * 8)

  private static let noNumber = Int64.min

  /// Reads the entry that begins at a word.
  init(_ words: Span<UInt64>, at start: Int) {
    func word(_ index: Int) -> UInt64 { UInt64(littleEndian: words[start + index]) }
    let number = Int64(bitPattern: word(3))
    seen = TransactionIndex.Seen(
      key: PostbackKey(high: word(0), low: word(1)),
      content: SortedSegment.Content(
        digest: UInt32(truncatingIfNeeded: word(2)),
        unsigned: UInt32(truncatingIfNeeded: word(2) >> 32)
      ),
      number: number == Self.noNumber ? nil : number
    )
    inputID = UInt32(truncatingIfNeeded: word(4))
    seenAt = UInt32(truncatingIfNeeded: word(4) >> 32)
    line = word(5)
  }

  /// Appends the words of the entry.
  func append(to words: inout [UInt64]) {
    words.append(seen.key.high.littleEndian)
    words.append(seen.key.low.littleEndian)
    words.append((UInt64(seen.content.digest) | UInt64(seen.content.unsigned) << 32).littleEndian)
    words.append(UInt64(bitPattern: seen.number ?? Self.noNumber).littleEndian)
    words.append((UInt64(inputID) | UInt64(seenAt) << 32).littleEndian)
    words.append(line.littleEndian)
  }
}
