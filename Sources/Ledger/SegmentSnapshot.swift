internal import DurableFiles
internal import PostbackVerification

/// The segments of the index at one time, in which tasks look while newer ones are made.
struct SegmentSnapshot {
  /// The segments, from the oldest entries to the newest.
  private(set) var segments: [SeenSegment]
  /// The position before which all entries are forgotten.
  private(set) var forgotten: Int64
  /// The entries of the newest segment; nil if they are only on disk.
  private var newest: [UInt8]?

  init(segments: [SeenSegment], newest: [UInt8]?, forgotten: Int64) {
    (self.segments, self.newest, self.forgotten) = (segments, newest, forgotten)
  }

  /// Returns the entries of the newest segment, which stay in memory if they are not more than are in memory before a
  /// segment has them. Most copies come within days, and to look for one on disk takes ten times as long.
  static func entriesToKeep(of segments: [SeenSegment], _ limit: Int) -> [UInt8]? {
    guard let newest = segments.last, newest.footer.entryCount < 2 * Int64(limit) else { return nil }
    // If they cannot be read, the first look for one of them fails and tells why.
    return try? newest.allEntries()
  }

  /// The position behind the last entry; 0 if there are no segments.
  var end: Int64 { segments.last?.footer.end.entries ?? 0 }

  /// Returns the entry with a key, of the segments that reach beyond a position; nil if there is none or it is forgotten.
  func entry(for key: PostbackKey, beyond position: Int64 = 0) throws(FileFailure) -> RecentIndex.Seen? {
    // The newest first: an old entry with the same key is a forgotten one.
    for index in segments.indices.reversed() where segments[index].footer.end.entries > position {
      let inMemory = index == segments.count - 1 ? newest : nil
      if let entry = try segments[index].find(key, in: inMemory), entry.position >= forgotten { return entry.seen }
    }
    return nil
  }

  /// Reads the parts of the filters that decide about some keys, so that they are in the processor's cache.
  func prefetch(_ keys: [PostbackKey]) -> UInt64 { segments.reduce(0) { $0 ^ $1.prefetch(keys) } }

  /// Replaces the segments.
  mutating func replace(by segments: [SeenSegment], newest: [UInt8]?) {
    (self.segments, self.newest) = (segments, newest)
  }

  /// Forgets all entries before a position.
  mutating func forget(before position: Int64) { forgotten = position }

  /// Removes the segments that have only forgotten entries, and returns them.
  mutating func removeForgotten() -> [SeenSegment] {
    let removed = segments.filter { $0.footer.end.entries <= forgotten }
    segments.removeFirst(removed.count)
    return removed
  }
}
