/// The file of a `SeenLog`: a header of 16 bytes, then entries of 48.
final class SeenFile {
  /// The length of the header.
  static let headerCount: Int64 = 16

  /// “pbseen” with zeros behind it, and the version.
  private static let header = [0x6E65_6573_6270 as UInt64, 1].map(\.littleEndian)

  private let file: StateFile
  private let folder: DurableFolder
  private var words: [UInt64] = []

  /// Where it is.
  var path: String { file.path }

  /// Makes a file without entries, where it will have another name when it is complete.
  init(creating name: String, in folder: DurableFolder) throws(StateFailure) {
    self.folder = folder
    file = try StateFile("\(folder.path)/\(name)", .creating)
    try file.append(Self.header.span)
  }

  /// Opens a file that must be there, and looks at its header.
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

  /// Appends entries, after those that a mark tells of; returns the mark after them.
  func append(_ entries: some Sequence<SeenEntry>, after mark: SeenMark) throws(StateFailure) -> SeenMark {
    words.removeAll(keepingCapacity: true)
    for entry in entries { entry.append(to: &words) }
    let words = words
    var checksum = CRC32(mark.checksum)
    checksum.update(words.span)
    try file.append(words.span)
    return SeenMark(entries: mark.entries + Int64(words.count / SeenEntry.wordCount), checksum: checksum.value)
  }

  /// Makes the entries durable.
  func synchronize() throws(StateFailure) { try file.synchronize() }

  /// How many whole entries there are, committed or not.
  func entryCount() throws(StateFailure) -> Int64 {
    max(0, try file.byteCount() - Self.headerCount) / SeenEntry.byteCount
  }

  /// Cuts off what is behind the committed entries.
  func truncate(to mark: SeenMark) throws(StateFailure) {
    let byteCount = Self.headerCount + mark.entries * SeenEntry.byteCount
    if try file.byteCount() > byteCount { try file.truncate(to: byteCount) }
  }

  /// Reads the committed entries in order, some megabytes at a time, as words of which `SeenEntry.wordCount` are an
  /// entry; throws at the end where they are not those that were committed.
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
