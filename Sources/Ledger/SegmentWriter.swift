internal import DurableFiles
internal import PostbackVerification

/// Writes a segment from entries in the order of their keys.
struct SegmentWriter: ~Copyable {
  private let file: DurableFile
  private var footer: SegmentFooter
  private var directory: [UInt64] = []
  private var filter: SegmentFilter
  private var numbers: [UInt64] = []
  private var bucket: [UInt8] = []
  private var buffer: [UInt8] = []

  private static let bufferBytes = 1 << 20

  /// Creates a file under a temporary name, for at most `count` entries of a range of the log.
  init(_ path: String, first: Int64, end: SeenMark, expecting count: Int64) throws(FileFailure) {
    file = try DurableFile(path, .creating)
    footer = SegmentFooter(first: first, end: end, expecting: count)
    filter = SegmentFilter(words: [UInt64](repeating: 0, count: Int(footer.filterWords)))
    directory.reserveCapacity(footer.directoryCount)
    directory.append(0)
    buffer.reserveCapacity(Self.bufferBytes + 1 << 16)
  }

  /// Appends an entry, whose key comes after those before.
  mutating func append(_ entry: SeenSegment.Entry) throws(FileFailure) {
    let bucketNumber = footer.bucket(of: entry.seen.key)
    while directory.count <= bucketNumber { try endBucket() }
    append(entry.seen.key.high)
    append(entry.seen.key.low)
    append(entry.seen.content.digest)
    append(entry.seen.content.unsigned | (entry.seen.number == nil ? 0 : SeenSegment.hasNumber))
    append(UInt32(truncatingIfNeeded: entry.position - footer.first))
    append(entry.seen.resend ?? 0)
    filter.insert(entry.seen.key)
    footer.entryCount += 1
    if let number = entry.seen.number {
      numbers += [entry.seen.key.high, entry.seen.key.low, UInt64(bitPattern: number)].map(\.littleEndian)
      footer.numberCount += 1
    }
  }

  /// Writes the rest, and makes the file durable.
  consuming func finish() throws(FileFailure) {
    while directory.count < footer.directoryCount { try endBucket() }
    try file.append(buffer.span)
    try file.append(numbers.span)
    try file.append(directory.span)
    try file.append(filter.words.span)
    footer.checksum = SegmentFooter.checksum(directory, filter.words)
    try file.append(footer.words.span)
    try file.synchronize()
  }

  private mutating func endBucket() throws(FileFailure) {
    // The last word of the directory is the number of entries before the bucket that now ends.
    directory[directory.count - 1] |= unsafe bucket.withUnsafeBytes { unsafe SeenSegment.checksum($0) } << 32
    directory.append(UInt64(footer.entryCount))
    buffer += bucket
    bucket.removeAll(keepingCapacity: true)
    if buffer.count >= Self.bufferBytes {
      try file.append(buffer.span)
      buffer.removeAll(keepingCapacity: true)
    }
  }

  private mutating func append<Word: FixedWidthInteger>(_ word: Word) {
    unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bucket.append(contentsOf: $0) }
  }
}

/// Reads several segments as one sequence in the order of keys. Of equal keys the one of the newest segment is kept.
struct SegmentMerge {
  private struct Source {
    let segment: SeenSegment
    var bucket = 0
    var numberIndex: Int64 = 0
    var entries: ArraySlice<SeenSegment.Entry> = []

    mutating func fill() throws(FileFailure) {
      while entries.isEmpty, bucket < segment.footer.bucketCount {
        // Some buckets at once, as the calls cost more than the bytes.
        let end = min(bucket + 64, segment.footer.bucketCount)
        entries = try segment.entries(inBuckets: bucket..<end, &numberIndex)[...]
        bucket = end
      }
    }
  }

  private var sources: [Source]

  /// The segments from the oldest to the newest.
  init(_ segments: [SeenSegment]) { sources = segments.map { Source(segment: $0) } }

  mutating func next() throws(FileFailure) -> SeenSegment.Entry? {
    var least: SeenSegment.Entry?
    for index in sources.indices {
      if sources[index].entries.isEmpty { try sources[index].fill() }
      guard let entry = sources[index].entries.first else { continue }
      if let found = least, found.seen.key.precedes(entry.seen.key) { continue }
      least = entry
    }
    guard let least else { return nil }
    for index in sources.indices where sources[index].entries.first?.seen.key == least.seen.key {
      sources[index].entries.removeFirst()
    }
    return least
  }
}
