/// The file of a `SeenLog`: a header of 16 bytes, then entries of 48 bytes each.
final class SeenFile {
  /// The length of the header in bytes.
  static let headerCount: Int64 = 16

  /// The bytes “pbseen” and two zeros, then the version.
  private static let header = [0x6E65_6573_6270 as UInt64, 1].map(\.littleEndian)

  private let file: StateFile
  private let folder: DurableFolder
  private var words: [UInt64] = []

  /// The path of the file.
  var path: String { file.path }

  /// Creates a file without entries. Its name is temporary: it is renamed when it is complete.
  init(creating name: String, in folder: DurableFolder) throws(StateFailure) {
    self.folder = folder
    file = try StateFile("\(folder.path)/\(name)", .creating)
    try file.append(Self.header.span)
  }

  /// Opens a file that must exist, and checks its header.
  init(_ name: String, in folder: DurableFolder, _ access: StateFile.Access = .appending) throws(StateFailure) {
    self.folder = folder
    guard try folder.byteCount(of: name) != nil else { throw .damaged("\(folder.path)/\(name)", "is gone") }
    file = try StateFile("\(folder.path)/\(name)", access)
    var words: [UInt64] = [0, 0]
    let count = try file.read(into: &words, at: 0)
    guard count == Self.headerCount, words[0] == Self.header[0] else {
      throw .damaged(file.path, "does not begin as a log of postbacks does")
    }
    guard words[1] == Self.header[1] else {
      let version = UInt64(littleEndian: words[1])
      throw StateFailure(.incompatible, file.path, "has version \(version), not 1; use the program that made it")
    }
  }

  /// Appends entries after the position `mark`, and returns the position after them.
  func append(_ entries: some Sequence<SeenEntry>, after mark: SeenMark) throws(StateFailure) -> SeenMark {
    words.removeAll(keepingCapacity: true)
    for entry in entries { entry.append(to: &words) }
    let words = words
    var checksum = CRC32(mark.checksum)
    checksum.update(words.span)
    try file.append(words.span)
    return SeenMark(entries: mark.entries + Int64(words.count / SeenEntry.wordCount), checksum: checksum.value)
  }

  /// Makes all entries durable.
  func synchronize() throws(StateFailure) { try file.synchronize() }

  /// Returns the number of whole entries in the file, committed or not.
  func entryCount() throws(StateFailure) -> Int64 {
    max(0, try file.byteCount() - Self.headerCount) / SeenEntry.byteCount
  }

  /// Cuts off everything after the position `mark`.
  func truncate(to mark: SeenMark) throws(StateFailure) {
    let byteCount = Self.headerCount + mark.entries * SeenEntry.byteCount
    if try file.byteCount() > byteCount { try file.truncate(to: byteCount) }
  }

  /// Reads all entries before the position `mark` in order, about 4 MiB at a time; `SeenEntry.wordCount` words are an
  /// entry. Throws `.damaged` at the end if the checksum differs, or earlier if entries are missing.
  func read(_ mark: SeenMark, _ body: (Span<UInt64>) throws(StateFailure) -> Void) throws(StateFailure) {
    let byteCount = mark.entries * SeenEntry.byteCount
    var checksum = CRC32()
    var buffer = [UInt64](repeating: 0, count: Int(min(byteCount, Int64(StateFile.chunk))) / 8)
    var offset: Int64 = 0
    while offset < byteCount {
      let wanted = Int(min(byteCount - offset, Int64(buffer.count * 8)))
      guard try file.read(into: &buffer, at: Self.headerCount + offset) >= wanted else {
        throw .damaged(path, "has \(try entryCount()) whole entries, and \(mark.entries) are committed")
      }
      checksum.update(buffer.span.extracting(first: wanted / 8))
      try body(buffer.span.extracting(first: wanted / 8))
      offset += Int64(wanted)
    }
    guard checksum.value == mark.checksum else {
      throw .damaged(path, "is damaged: its \(mark.entries) committed entries do not have their checksum")
    }
  }
}
