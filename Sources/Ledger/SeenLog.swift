package import DurableFiles
internal import PostbackVerification

/// The log of first postbacks, in the order in which they came: the file `seen.log`. The `TransactionIndex` is rebuilt
/// from it. Entries are only appended, except by a compaction.
package final class SeenLog {
  /// The name of the file.
  package static let name = "seen.log"
  /// The name of the file until it is complete and takes the place of the log.
  package static let newName = "\(name).new"

  /// The end of the log. It is committed once the ledger has it.
  package private(set) var mark: SeenMark
  private let file: SeenFile

  private init(_ file: SeenFile, _ mark: SeenMark) {
    self.file = file
    self.mark = mark
  }

  /// Returns the number of entries that `recover` will find: the committed ones, at most those in the file, so that a
  /// damaged ledger cannot cause a large allocation.
  package static func expectedCount(_ ledger: Ledger) throws(FileFailure) -> Int {
    let folder = ledger.folder.folder
    guard try folder.byteCount(of: name) != nil else { return 0 }
    return Int(min(ledger.seen.entries, try SeenFile(name, in: folder, .reading).entryCount()))
  }

  /// Opens the log, or creates it if nothing is committed; adds every committed entry to the index, and cuts off
  /// entries that were not committed. Finishes a compaction that a crash has interrupted.
  ///
  /// Throws `.damaged` if the log is not as it was committed. The index must not be used then.
  package static func recover(_ ledger: Ledger, into index: inout TransactionIndex) throws(FileFailure) -> SeenLog {
    try SeenCompaction.finish(ledger)
    let folder = ledger.folder.folder
    if ledger.seen.entries == 0, try folder.byteCount(of: name) == nil {
      let file = try SeenFile(creating: newName, in: folder)
      try file.synchronize()
      try folder.rename(newName, to: name)
    }
    let file = try SeenFile(name, in: folder)
    var seen: [TransactionIndex.Seen] = []
    seen.reserveCapacity(restoredAtOnce)
    try file.read(ledger.seen) { words throws(FileFailure) in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        seen.append(SeenEntry(words, at: start).seen)
      }
      guard seen.count >= restoredAtOnce else { return }
      index.restore(seen)
      seen.removeAll(keepingCapacity: true)
    }
    index.restore(seen)
    try file.truncate(to: ledger.seen)
    return SeenLog(file, ledger.seen)
  }

  /// Appends entries. They are not durable until `synchronize`.
  package func append(_ entries: [SeenEntry]) throws(FileFailure) { mark = try file.append(entries, after: mark) }

  /// Makes all entries durable, so that `mark` may be committed.
  package func synchronize() throws(FileFailure) { try file.synchronize() }

  /// Drops the committed entries from before a time, in seconds since 1970, and returns their number. A later copy of
  /// such a postback counts as a first one again.
  ///
  /// Call it before `recover`. After a crash at any point the next start completes or discards the compaction.
  package static func compact(_ ledger: Ledger, before seconds: UInt32) throws(FileFailure) -> Int64 {
    try SeenCompaction.finish(ledger)
    guard ledger.seen.entries > 0 else { return 0 }
    let compaction = try SeenCompaction(ledger, before: seconds)
    if compaction.dropped.count > 0 { try compaction.begin(in: ledger) }
    try SeenCompaction.finish(ledger)
    return compaction.dropped.count
  }

  /// The number of entries to collect before they are added to the index, which goes through its segments each time.
  private static let restoredAtOnce = 1 << 19
}

/// The file of a `SeenLog`: a header of 16 bytes, then entries of 48 bytes each.
package final class SeenFile {
  /// The length of the header in bytes.
  package static let headerCount: Int64 = 16

  /// The bytes “pbseen” and two zeros, then the version.
  private static let header = [0x6E65_6573_6270 as UInt64, 1].map(\.littleEndian)

  private let file: DurableFile
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
    let byteCount = mark.entries * SeenEntry.byteCount
    var checksum = CRC32()
    var buffer = [UInt64](repeating: 0, count: Int(min(byteCount, Int64(DurableFile.chunk))) / 8)
    var offset: Int64 = 0
    while offset < byteCount {
      let wanted = Int(min(byteCount - offset, Int64(buffer.count * 8)))
      guard try file.read(into: &buffer, at: Self.headerCount + offset) >= wanted else {
        throw .damaged(path, "The log has \(try entryCount()) whole entries, and \(mark.entries) are committed")
      }
      checksum.update(buffer.span.extracting(first: wanted / 8))
      try body(buffer.span.extracting(first: wanted / 8))
      offset += Int64(wanted)
    }
    guard checksum.value == mark.checksum else {
      throw .damaged(path, "The log is damaged: its \(mark.entries) committed entries do not have their checksum")
    }
  }
}

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
  package static let wordCount = 6
  /// The number of bytes that an entry has in the file.
  package static let byteCount = Int64(wordCount * 8)

  private static let noNumber = Int64.min

  /// Reads the entry that begins at a word.
  package init(_ words: Span<UInt64>, at start: Int) {
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
  package func append(to words: inout [UInt64]) {
    words.append(seen.key.high.littleEndian)
    words.append(seen.key.low.littleEndian)
    words.append((UInt64(seen.content.digest) | UInt64(seen.content.unsigned) << 32).littleEndian)
    words.append(UInt64(bitPattern: seen.number ?? Self.noNumber).littleEndian)
    words.append((UInt64(inputID) | UInt64(seenAt) << 32).littleEndian)
    words.append(line.littleEndian)
  }
}

/// A position in `seen.log` between two entries, with the checksum of everything before it.
package struct SeenMark: Equatable, Sendable {
  /// The number of entries before the position.
  package var entries: Int64 = 0
  /// The CRC-32 of the bytes of these entries.
  package var checksum: UInt32 = 0

  /// Creates the position before the first entry.
  package init() {}

  /// Creates a position.
  package init(entries: Int64, checksum: UInt32) {
    self.entries = entries
    self.checksum = checksum
  }
}
