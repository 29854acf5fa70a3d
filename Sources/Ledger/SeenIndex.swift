package import DurableFiles
package import PostbackVerification
package import SKAdNetwork
package import Signatures

/// The index of all accepted postbacks: the newest in memory, the others in segments on disk.
///
/// When many are in memory, they are frozen: they stay there until a segment has them, and new ones go to an empty index.
/// Takes about 2 bytes of memory for each postback in segments, and some 30 for each of the newest, which are at most about
/// two million if commits are regular.
package struct SeenIndex: Sendable {
  private var recent: TransactionIndex
  private var frozen: TransactionIndex?
  /// The position in the log behind the frozen entries.
  private var frozenEnd: Int64 = 0
  /// The position in the log behind all entries.
  private var end: Int64
  private let segments: SeenSegments?
  private var onDisk: [SeenSegment] = []
  private var forgotten: Int64 = 0
  private var generation = -1
  /// The combination of all words that `prepare(for:)` read, kept so that the compiler does not remove the reads.
  private var prefetched: UInt64 = 0

  /// The number of distinct postbacks so far.
  package var count: Int { Int(end - forgotten) }

  /// Makes an empty index that keeps all entries in memory.
  package init() { (recent, end, segments) = (TransactionIndex(), 0, nil) }

  /// Makes an index of a log, of which `recent` has all entries that are not in segments.
  init(_ recent: TransactionIndex, _ segments: SeenSegments, end: Int64) {
    (self.recent, self.segments, self.end) = (recent, segments, end)
    refresh()
  }

  /// Makes an index in memory of some entries. For a key that is there twice the first entry is kept.
  package init(_ seen: [TransactionIndex.Seen]) {
    self.init()
    recent.restore(seen)
    end = Int64(recent.count)
  }

  /// Returns the entry in memory with a key; nil if there is none.
  package func recentEntry(for key: PostbackKey) -> TransactionIndex.Seen? { recent.entry(for: key) }

  /// Classifies a verified postback, and stores it if it is the first with its key. Throws if a segment cannot be read.
  package mutating func admit(
    _ key: PostbackKey,
    _ digest: SHA256Digest,
    _ unsigned: UnsignedFields
  ) throws(FileFailure) -> TransactionIndex.Admission {
    if let first = try older(key) {
      return TransactionIndex.Seen(key, digest, unsigned).admission(after: first)
    }
    let admission = recent.admit(key, digest, unsigned)
    guard admission == .first else { return admission }
    end += 1
    if let segments, frozen == nil, recent.count >= segments.limit {
      (frozen, frozenEnd, recent) = (recent, end, TransactionIndex())
      segments.request(upTo: end)
    }
    return admission
  }

  /// Takes over new segments, and reads the memory in advance that these keys need.
  package mutating func prepare(for keys: [PostbackKey]) {
    if let segments, segments.generation != generation { refresh() }
    for segment in onDisk { prefetched ^= segment.prefetch(keys) }
    recent.prepare(for: keys)
  }

  private mutating func refresh() {
    guard let segments else { return }
    (onDisk, forgotten, generation) = segments.current
    if let last = onDisk.last, last.footer.end.entries >= frozenEnd { frozen = nil }
  }

  /// Returns the entry with a key that is frozen or on disk; nil if there is none.
  private func older(_ key: PostbackKey) throws(FileFailure) -> TransactionIndex.Seen? {
    if let seen = frozen?.entry(for: key) { return seen }
    // The newest first: an old entry with the same key is a forgotten one.
    for segment in onDisk.reversed() {
      if let entry = try segment.find(key), entry.position >= forgotten { return entry.seen }
    }
    return nil
  }
}
