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
  /// at most `limit`.
  init(_ log: SeenFile, from start: SeenMark, to end: Int64, before seconds: UInt32, limit: Int64) throws(FileFailure) {
    self.end = start
    let last = min(end, start.entries + limit)
    while self.end.entries < last {
      let next = min(last, self.end.entries + Self.readAtOnce)
      var old: [SeenEntry] = []
      var isEnded = false
      let reached = try log.read(from: self.end, to: next) { words throws(FileFailure) in
        for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) where !isEnded {
          let entry = SeenEntry(words, at: start)
          isEnded = entry.seenAt >= seconds
          if !isEnded { old.append(entry) }
        }
      }
      for entry in old { keys.add(entry.seen.key) }
      self.end = isEnded ? try log.read(from: self.end, to: self.end.entries + Int64(old.count)) { _ in } : reached
      if isEnded { return }
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
