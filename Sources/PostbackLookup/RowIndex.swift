internal import DurableFiles
internal import Glibc

/// A file that tells at which places of a part rows with a value may begin.
///
/// The file has a header, a directory of buckets, and the entries, sorted by hash, in buckets by the first bits of the hash. A
/// search reads the header, one entry of the directory and one bucket, each with its checksum. The index follows from the part
/// alone: one that is missing, damaged or of other rows is made anew. Rows are compared when they are read, so that an entry is
/// only a hint; an entry can be missing only if the part has other rows, which the identity tells.
struct RowIndex {
  /// The place of a row under the hash of one of its values.
  struct Entry: Comparable {
    let hash: UInt64
    let place: Int64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.hash, left.place) < (right.hash, right.place)
    }
  }

  /// The place in the part up to which its rows are in the index.
  let covered: Int64
  /// The digest of the part's identity when the index was made.
  let identity: UInt64
  /// The checksum of the rows in the index; nil if it is not known.
  let checksum: UInt32?

  private let file: DurableFile
  private let bucketBits: UInt64

  /// The format of the file.
  private static let magic: UInt64 = 0x0158_4544_4e49_574f
  private static let headerWords = 8
  /// The number of entries in a bucket, on average.
  private static let bucketSize = 128

  /// Opens an index; nil if there is none, or its header is not whole.
  init?(_ path: String) {
    guard let file = try? DurableFile(path, .reading) else { return nil }
    var words = [UInt64](repeating: 0, count: Self.headerWords)
    guard (try? file.read(into: &words, at: 0)) == Self.headerWords * 8, words[0] == Self.magic,
      words[7] == Self.checksum(of: words[..<7]), words[3] < 40
    else { return nil }
    self.file = file
    (covered, bucketBits, identity) = (Int64(bitPattern: words[1]), words[3], words[4])
    checksum = words[5] >> 32 == 1 ? UInt32(truncatingIfNeeded: words[5]) : nil
  }

  /// Returns the places of rows under a hash; nil if the index is damaged.
  func places(of hash: UInt64) -> [Int64]? {
    let bucket = bucketBits == 0 ? 0 : hash >> (64 - bucketBits)
    var directory: [UInt64] = [0, 0]
    let start = Int64(Self.headerWords * 8)
    guard (try? file.read(into: &directory, at: start + Int64(bucket) * 8)) == 16 else { return nil }
    let (first, end) = (directory[0] & 0xffff_ffff, directory[1] & 0xffff_ffff)
    guard end >= first, end - first < 1 << 24 else { return nil }
    var words = [UInt64](repeating: 0, count: Int(end - first) * 2)
    let entries = start + (Int64(1) << Int64(bucketBits) + 1) * 8
    guard words.isEmpty || (try? file.read(into: &words, at: entries + Int64(first) * 16)) == words.count * 8,
      Self.checksum(of: words[...]) & 0xffff_ffff == directory[0] >> 32
    else { return nil }
    return stride(from: 0, to: words.count, by: 2).filter { words[$0] == hash }.map { Int64(bitPattern: words[$0 + 1]) }
  }

  /// Writes an index, which others see only when it is whole.
  static func write(
    _ entries: [Entry],
    covering covered: Int64,
    identity: UInt64,
    checksum rows: UInt32?,
    to path: String
  ) throws(FileFailure) {
    let entries = entries.sorted()
    var bits: UInt64 = 0
    while entries.count >> Int(bits) > bucketSize { bits += 1 }
    let buckets = 1 << Int(bits)
    var header: [UInt64] = [
      magic, UInt64(bitPattern: covered), UInt64(entries.count), bits, identity, rows.map { 1 << 32 | UInt64($0) } ?? 0,
      0,
    ]
    header.append(checksum(of: header[...]))
    var directory = [UInt64](repeating: 0, count: buckets + 1)
    var words: [UInt64] = []
    words.reserveCapacity(entries.count * 2)
    var next = 0
    for bucket in 0..<buckets {
      let first = next
      while next < entries.count, bits == 0 || Int(entries[next].hash >> (64 - bits)) == bucket {
        words.append(entries[next].hash)
        words.append(UInt64(bitPattern: entries[next].place))
        next += 1
      }
      directory[bucket] = UInt64(first) | (checksum(of: words[(first * 2)...]) & 0xffff_ffff) << 32
    }
    directory[buckets] = UInt64(entries.count)
    let temporary = "\(path).\(getpid()).\(UInt64.random(in: 0...UInt64.max))\(Self.unfinished)"
    do throws(FileFailure) {
      let file = try DurableFile(temporary, .creating)
      try file.append(header.span)
      try file.append(directory.span)
      try file.append(words.span)
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    guard unsafe rename(temporary, path) == 0 else {
      throw .system(.io, path, "The file cannot be renamed")
    }
  }

  /// The ending of the name of an index that is not whole.
  private static let unfinished = ".inprogress"

  /// Tells if a file is an index that a process writes which is alive.
  static func isBeingWritten(_ name: String) -> Bool {
    guard name.hasSuffix(unfinished) else { return false }
    let words = name.dropLast(unfinished.count).split(separator: ".")
    guard let process = words.dropLast().last.flatMap({ pid_t($0) }), process > 0 else { return false }
    return kill(process, 0) == 0 || errno != ESRCH
  }

  private static func checksum(of words: ArraySlice<UInt64>) -> UInt64 {
    var checksum = CRC32()
    checksum.update(words.span)
    return UInt64(checksum.value) << 32 | UInt64(checksum.value)
  }
}
