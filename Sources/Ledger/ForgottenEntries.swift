internal import DurableFiles

/// The oldest entries of a log, which are forgotten: first the ledger commits that they are, then the disk gets their space
/// back, while the log stays open. The positions of the others do not change.
struct ForgottenEntries: Sendable {
  /// The position behind the last forgotten entry.
  var end: SeenMark
  /// The keys of the entries that this step forgets.
  var keys = KeyTally()

  /// The number of entries that are read at a time.
  private static let readAtOnce: Int64 = 4096

  /// Finds the entries behind `start` that are older than a time, in seconds since 1970, up to the first that is not, and
  /// at most `limit`. An entry from after `now` was noted under a wrong clock: it goes with an old one behind it.
  init(
    _ log: SeenFile,
    from start: SeenMark,
    to end: Int64,
    before seconds: UInt32,
    now: UInt32,
    limit: Int64
  ) throws(FileFailure) {
    self.end = start
    let last = min(end, start.entries + limit)
    var (isEnded, next) = (false, start)
    var waiting = KeyTally()
    while next.entries < (self.end == start ? end : last), !isEnded {
      let first = next
      var (count, old): (Int64, Int64) = (0, 0)
      next = try log.read(from: first, to: min(first.entries < last ? last : end, first.entries + Self.readAtOnce)) {
        words throws(FileFailure) in
        for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) where !isEnded {
          let entry = SeenEntry(words, at: start)
          isEnded = entry.seenAt >= seconds && entry.seenAt <= now
          if isEnded { return }
          count += 1
          waiting.add(entry.seen.key)
          guard entry.seenAt < seconds else { continue }
          keys += waiting
          (waiting, old) = (KeyTally(), count)
        }
      }
      if old > 0 { self.end = try log.read(from: first, to: first.entries + old) { _ in } }
    }
  }
}

extension SeenFile {
  /// Gives the disk space of the entries before a position back.
  func release(before mark: SeenMark) {
    // The header stays, and the block that it shares with entries.
    let (start, end) = (Int64(4096), Self.headerCount + mark.entries * SeenEntry.byteCount)
    file.release(from: start, count: end / 4096 * 4096 - start)
  }
}
