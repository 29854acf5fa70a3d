package import DurableFiles
internal import PostbackVerification

/// The file of a `SeenLog`: a header of 16 bytes, then entries of 48 bytes each.
package final class SeenFile {
  /// The length of the header in bytes.
  package static let headerCount: Int64 = 16

  /// The bytes “pbseen” and two zeros, then the version.
  private static let header = [0x6E65_6573_6270 as UInt64, 1].map(\.littleEndian)

  let file: DurableFile
  private let folder: DurableFolder
  private var words: [UInt64] = []

  /// The path of the file.
  package var path: String { file.path }

  /// Creates a file without entries. Its name is temporary: it is renamed when it is complete.
  package init(creating name: String, in folder: DurableFolder) throws(FileFailure) {
    self.folder = folder
    file = try DurableFile("\(folder.path)/\(name)", .creating)
    try file.append(Self.header.span)
  }

  /// Opens a file whose committed end is `mark`, or creates it if nothing is committed.
  convenience init(opening name: String, in folder: DurableFolder, at mark: SeenMark) throws(FileFailure) {
    if mark.entries == 0, try folder.byteCount(of: name) == nil {
      let file = try SeenFile(creating: "\(name).new", in: folder)
      try file.synchronize()
      try folder.rename("\(name).new", to: name)
    }
    try self.init(name, in: folder)
  }

  /// Opens a file that must exist, and checks its header.
  package init(_ name: String, in folder: DurableFolder, _ access: DurableFile.Access = .appending) throws(FileFailure)
  {
    self.folder = folder
    guard try folder.byteCount(of: name) != nil else { throw .damaged("\(folder.path)/\(name)", "The file is missing") }
    file = try DurableFile("\(folder.path)/\(name)", access)
    var words: [UInt64] = [0, 0]
    let count = try file.read(into: &words, at: 0)
    guard count == Self.headerCount, words[0] == Self.header[0] else {
      throw .damaged(file.path, "The file does not begin as a log of postbacks does")
    }
    guard words[1] == Self.header[1] else {
      let version = UInt64(littleEndian: words[1])
      throw FileFailure(
        .incompatible,
        file.path,
        "The log has version \(version), not 1",
        advice: "Use the program that made it"
      )
    }
  }

  /// Appends entries after the position `mark`, and returns the position after them.
  package func append(_ entries: some Sequence<SeenEntry>, after mark: SeenMark) throws(FileFailure) -> SeenMark {
    words.removeAll(keepingCapacity: true)
    for entry in entries { entry.append(to: &words) }
    let words = words
    var checksum = CRC32(mark.checksum)
    checksum.update(words.span)
    try file.append(words.span)
    return SeenMark(entries: mark.entries + Int64(words.count / SeenEntry.wordCount), checksum: checksum.value)
  }

  /// Makes all entries durable.
  package func synchronize() throws(FileFailure) { try file.synchronize() }

  /// Returns the number of whole entries in the file, committed or not.
  package func entryCount() throws(FileFailure) -> Int64 {
    max(0, try file.byteCount() - Self.headerCount) / SeenEntry.byteCount
  }

  /// Cuts off everything after the position `mark`.
  package func truncate(to mark: SeenMark) throws(FileFailure) {
    let byteCount = Self.headerCount + mark.entries * SeenEntry.byteCount
    if try file.byteCount() > byteCount { try file.truncate(to: byteCount) }
  }

  /// Reads all entries before the position `mark` in order, about 4 MiB at a time; `SeenEntry.wordCount` words are an
  /// entry. Throws `.damaged` at the end if the checksum differs, or earlier if entries are missing.
  package func read(_ mark: SeenMark, _ body: (Span<UInt64>) throws(FileFailure) -> Void) throws(FileFailure) {
    guard try read(from: SeenMark(), to: mark.entries, body) == mark else { throw damaged(mark) }
  }

  /// Reads the entries from a position on, and returns the position behind them, whose checksum follows from what was
  /// read. Throws `.damaged` if entries are missing.
  package func read(
    from start: SeenMark,
    to end: Int64,
    _ body: (Span<UInt64>) throws(FileFailure) -> Void
  ) throws(FileFailure) -> SeenMark {
    guard start.entries <= end else {
      throw .damaged(path, "The log has \(end) committed entries, and \(start.entries) are passed over")
    }
    let byteCount = (end - start.entries) * SeenEntry.byteCount
    var checksum = CRC32(start.checksum)
    var buffer = [UInt64](repeating: 0, count: Int(min(byteCount, Int64(DurableFile.chunk))) / 8)
    var offset: Int64 = 0
    while offset < byteCount {
      let wanted = Int(min(byteCount - offset, Int64(buffer.count * 8)))
      let place = Self.headerCount + start.entries * SeenEntry.byteCount + offset
      guard try file.read(into: &buffer, at: place) >= wanted else {
        throw try missingEntries(SeenMark(entries: end, checksum: 0))
      }
      checksum.update(buffer.span.extracting(first: wanted / 8))
      try body(buffer.span.extracting(first: wanted / 8))
      offset += Int64(wanted)
    }
    return SeenMark(entries: end, checksum: checksum.value)
  }

  /// Returns the failure for entries that do not have the checksum of a position.
  package func damaged(_ mark: SeenMark) -> FileFailure {
    .damaged(path, "The log is damaged: its \(mark.entries) committed entries do not have their checksum")
  }

  /// Returns the failure for a file that ends before a position.
  func missingEntries(_ mark: SeenMark) throws(FileFailure) -> FileFailure {
    .damaged(path, "The log has \(try entryCount()) whole entries, and \(mark.entries) are committed")
  }
}

/// An entry of `seen.log`: the first postback with its key, the place where it was read, and the time.
package struct SeenEntry: Equatable, Sendable {
  /// The part of the entry that the index keeps.
  package var seen: RecentIndex.Seen
  /// The number of the input in the ledger.
  package var inputID: UInt32
  /// The time at which its row was made, in seconds since 1970.
  package var seenAt: UInt32
  /// The number of the line in the input, in entries of earlier versions. Later ones have the digest by which resends are
  /// recognised in its place.
  package var line: UInt64

  /// Creates an entry.
  package init(_ seen: RecentIndex.Seen, inputID: UInt32, seenAt: UInt32, line: UInt64 = 0) {
    self.seen = seen
    self.inputID = inputID
    self.seenAt = seenAt
    self.line = line
  }
}

extension SeenEntry {
  /// The number of 8-byte words that an entry has in the file, each least significant byte first.
  package static let wordCount = 6
  /// The number of bytes that an entry has in the file.
  package static let byteCount = Int64(wordCount * 8)

  private static let noNumber = Int64.min
  /// The bit above the unsigned fields that says that the last word is the digest by which resends are recognised.
  private static let hasResend: UInt32 = 1 << 31

  /// Reads the entry that begins at a word.
  package init(_ words: Span<UInt64>, at start: Int) {
    func word(_ index: Int) -> UInt64 { UInt64(littleEndian: words[start + index]) }
    let number = Int64(bitPattern: word(3))
    let unsigned = UInt32(truncatingIfNeeded: word(2) >> 32)
    let hasResend = unsigned & Self.hasResend != 0 && word(5) != 0
    seen = RecentIndex.Seen(
      key: PostbackKey(high: word(0), low: word(1)),
      content: SortedSegment.Content(
        digest: UInt32(truncatingIfNeeded: word(2)),
        unsigned: hasResend ? unsigned & ~Self.hasResend : unsigned,
        resend: hasResend ? word(5) : nil
      ),
      number: number == Self.noNumber ? nil : number
    )
    inputID = UInt32(truncatingIfNeeded: word(4))
    seenAt = UInt32(truncatingIfNeeded: word(4) >> 32)
    line = hasResend ? 0 : word(5)
  }

  /// Appends the words of the entry.
  package func append(to words: inout [UInt64]) {
    words.append(seen.key.high.littleEndian)
    words.append(seen.key.low.littleEndian)
    let unsigned = seen.content.unsigned | (seen.resend == nil ? 0 : Self.hasResend)
    words.append((UInt64(seen.content.digest) | UInt64(unsigned) << 32).littleEndian)
    words.append(UInt64(bitPattern: seen.number ?? Self.noNumber).littleEndian)
    words.append((UInt64(inputID) | UInt64(seenAt) << 32).littleEndian)
    words.append((seen.resend ?? line).littleEndian)
  }
}

/// A position in `seen.log` between two entries, with the checksum of everything before it.
package struct SeenMark: Equatable, Sendable {
  /// The number of entries before the position.
  package var entries: Int64 = 0
  /// The CRC-32 of the bytes of these entries.
  package var checksum: UInt32 = 0

  /// Creates a position, by default the one before the first entry.
  package init(entries: Int64 = 0, checksum: UInt32 = 0) { (self.entries, self.checksum) = (entries, checksum) }
}
