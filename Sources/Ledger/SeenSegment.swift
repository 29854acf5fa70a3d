internal import CXxhash
internal import DurableFiles
internal import PostbackVerification

/// A file with the entries of a range of `seen.log`, sorted by key, which is looked up on disk.
///
/// The file has the entries in buckets by the first bits of their keys, then the numbers of the entries that have one, then
/// a directory of the buckets, a Bloom filter, and the footer. Only the directory and the filter are in memory, together
/// about 13 bits for each entry. A key that the filter does not have costs no reading; otherwise one bucket is read and its
/// checksum verified. The file is never changed: it is derived from the log, and can be made anew from it.
final class SeenSegment: Sendable {
  /// An entry with its position in the log.
  struct Entry: Sendable {
    var seen: RecentIndex.Seen
    var position: Int64
  }

  static let numberBytes = 24
  /// The bit of the unsigned fields that says that the entry has a number.
  static let hasNumber: UInt32 = 1 << 31
  /// The greatest range of the log in one segment, so that relative positions fit into 32 bits.
  static let greatestRange = Int64(UInt32.max)

  /// The name of the file.
  let name: String
  private let path: String
  let footer: SegmentFooter
  private let file: DurableFile
  /// For each bucket the index of its first entry, and the checksum of its bytes in the upper half; one more at the end.
  private let directory: [UInt64]
  private let filter: SegmentFilter

  /// Opens a segment. Throws `.damaged` if the footer, the directory or the filter is not as it was written.
  init(_ folder: DurableFolder, _ name: String) throws(FileFailure) {
    self.name = name
    path = "\(folder.path)/\(name)"
    file = try DurableFile(path, .reading)
    let size = try file.byteCount()
    var words = [UInt64](repeating: 0, count: SegmentFooter.wordCount)
    try Self.read(&words, file, at: max(0, size - SegmentFooter.byteCount))
    guard let footer = SegmentFooter(words), footer.fileBytes == size else { throw .damagedSegment(path) }
    var directory = [UInt64](repeating: 0, count: footer.directoryCount)
    try Self.read(&directory, file, at: footer.directoryStart)
    var filter = [UInt64](repeating: 0, count: Int(footer.filterWords))
    try Self.read(&filter, file, at: footer.filterStart)
    guard SegmentFooter.checksum(directory, filter) == footer.checksum else { throw .damagedSegment(path) }
    self.footer = footer
    self.directory = directory
    self.filter = SegmentFilter(words: filter)
  }

  /// Returns the entry with a key; nil if there is none. `inMemory` are the entries, if they were read; nil to read one
  /// bucket of them.
  func find(_ key: PostbackKey, in inMemory: [UInt8]?) throws(FileFailure) -> Entry? {
    guard filter.mayContain(key) else { return nil }
    let bucket = footer.bucket(of: key)
    let (start, end) = (start(ofBucket: bucket), start(ofBucket: bucket + 1))
    guard start <= end, end <= footer.entryCount else { throw .damagedSegment(path) }
    let range = start * footer.entryBytes..<end * footer.entryBytes
    let found: Found?
    if let inMemory {
      found = unsafe inMemory.withUnsafeBytes { unsafe find(key, among: UnsafeRawBufferPointer(rebasing: $0[range])) }
    } else {
      do {
        // Keys are spread evenly, so that a bucket is short.
        found = try unsafe withUnsafeTemporaryAllocation(byteCount: range.count, alignment: 8) { buffer in
          let bytes = UnsafeRawBufferPointer(buffer)
          guard try unsafe file.read(into: buffer, at: Int64(range.lowerBound)) == range.count else {
            throw FileFailure.damagedSegment(path)
          }
          guard unsafe Self.checksum(bytes) == directory[bucket] >> 32 else { throw FileFailure.damagedSegment(path) }
          return unsafe find(key, among: bytes)
        }
      } catch let failure as FileFailure { throw failure } catch { throw .damagedSegment(path) }
    }
    guard let found else { return nil }
    return entry(found, found.hasNumber ? try number(of: key) : nil)
  }

  private func find(_ key: PostbackKey, among bytes: UnsafeRawBufferPointer) -> Found? {
    for place in stride(from: 0, to: bytes.count, by: footer.entryBytes) {
      if unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) != key.high {
        continue
      }
      let found = unsafe decode(bytes, at: place)
      if found.key == key { return found }
    }
    return nil
  }

  /// Reads and verifies the bytes of all entries.
  func allEntries() throws(FileFailure) -> [UInt8] { try read(buckets: 0..<footer.bucketCount).bytes }

  private func start(ofBucket bucket: Int) -> Int { Int(directory[bucket] & UInt64(UInt32.max)) }

  /// Reads the parts of the filter that decide about some keys, so that they are in the processor's cache.
  func prefetch(_ keys: [PostbackKey]) -> UInt64 { filter.prefetch(keys) }

  /// Reads the entries of some buckets in order. `numberIndex` is the index of their first number, and moves behind the
  /// last one.
  func entries(inBuckets buckets: Range<Int>, _ numberIndex: inout Int64) throws(FileFailure) -> [Entry] {
    let (bytes, count) = try read(buckets: buckets)
    let found = unsafe bytes.withUnsafeBytes { bytes in
      (0..<count).map { unsafe decode(bytes, at: $0 * footer.entryBytes) }
    }
    var numbers = [UInt64](repeating: 0, count: found.count { $0.hasNumber } * 3)
    try Self.read(&numbers, file, at: footer.numbersStart + numberIndex * Int64(Self.numberBytes))
    var next = 0
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    for one in found {
      var number: Int64?
      if one.hasNumber {
        guard numbers[next].littleEndian == one.key.high, numbers[next + 1].littleEndian == one.key.low else {
          throw .damagedSegment(path)
        }
        number = Int64(bitPattern: numbers[next + 2].littleEndian)
        next += 3
      }
      entries.append(entry(one, number))
    }
    numberIndex += Int64(numbers.count / 3)
    return entries
  }

  /// Reads the bytes of some buckets, and verifies them. Returns the bytes and the number of entries.
  private func read(buckets: Range<Int>) throws(FileFailure) -> (bytes: [UInt8], count: Int) {
    let (first, end) = (start(ofBucket: buckets.lowerBound), start(ofBucket: buckets.upperBound))
    guard first <= end, end <= footer.entryCount else { throw .damagedSegment(path) }
    var bytes = [UInt8](repeating: 0, count: (end - first) * footer.entryBytes)
    try Self.read(&bytes, file, at: Int64(first * footer.entryBytes))
    for bucket in buckets {
      let (start, next) = (start(ofBucket: bucket), start(ofBucket: bucket + 1))
      guard first <= start, start <= next, next <= end else { throw .damagedSegment(path) }
      let range = (start - first) * footer.entryBytes..<(next - first) * footer.entryBytes
      let checksum = unsafe bytes.withUnsafeBytes { unsafe Self.checksum(UnsafeRawBufferPointer(rebasing: $0[range])) }
      guard checksum == directory[bucket] >> 32 else { throw .damagedSegment(path) }
    }
    return (bytes, end - first)
  }

  /// The checksum of a bucket, 32 bits.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    unsafe XXH3_64bits(bytes.baseAddress, bytes.count) >> 32
  }

  private struct Found {
    let key: PostbackKey
    let digest: UInt32
    let unsigned: UInt32
    let offset: UInt32
    let resend: UInt64

    var hasNumber: Bool { unsigned & SeenSegment.hasNumber != 0 }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Found {
    func word<Word: FixedWidthInteger>(_ offset: Int, _ type: Word.Type) -> Word {
      unsafe Word(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: Word.self))
    }
    return Found(
      key: PostbackKey(high: word(0, UInt64.self), low: word(8, UInt64.self)),
      digest: word(16, UInt32.self),
      unsigned: word(20, UInt32.self),
      offset: word(24, UInt32.self),
      resend: footer.hasResends ? word(28, UInt64.self) : 0
    )
  }

  private func entry(_ found: Found, _ number: Int64?) -> Entry {
    let content = SortedSegment.Content(
      digest: found.digest,
      unsigned: found.unsigned & ~Self.hasNumber,
      resend: found.resend == 0 ? nil : found.resend
    )
    return Entry(
      seen: RecentIndex.Seen(key: found.key, content: content, number: number),
      position: footer.first + Int64(found.offset)
    )
  }

  /// Finds the number of an entry, by bisection on disk.
  private func number(of key: PostbackKey) throws(FileFailure) -> Int64 {
    var (low, high) = (Int64(0), footer.numberCount)
    var words = [UInt64](repeating: 0, count: 3)
    while low < high {
      let middle = (low + high) / 2
      try Self.read(&words, file, at: footer.numbersStart + middle * Int64(Self.numberBytes))
      let found = PostbackKey(high: UInt64(littleEndian: words[0]), low: UInt64(littleEndian: words[1]))
      if found == key { return Int64(bitPattern: UInt64(littleEndian: words[2])) }
      if found.precedes(key) { low = middle + 1 } else { high = middle }
    }
    throw .damagedSegment(path)
  }

  /// Fills an array from an offset in a file. Throws `.damaged` if the file ends before.
  private static func read<Word: BitwiseCopyable>(
    _ words: inout [Word],
    _ file: DurableFile,
    at offset: Int64
  ) throws(FileFailure) {
    let byteCount = words.count * MemoryLayout<Word>.stride
    guard try file.read(into: &words, at: offset) == byteCount else { throw .damagedSegment(file.path) }
  }
}

extension PostbackKey {
  /// Returns true if this key comes before another one in a segment.
  func precedes(_ other: PostbackKey) -> Bool { high < other.high || high == other.high && low < other.low }
}

extension FileFailure {
  /// Returns the failure for a segment that is not as it was written.
  static func damagedSegment(_ path: String) -> FileFailure {
    FileFailure(
      .damaged,
      path,
      "The file is damaged",
      advice: "Remove it, and the next start makes it anew from \(SeenLog.name)"
    )
  }
}
