package import DurableFiles

/// The log of first postbacks, in the order in which they came: the file `seen.log`. The `RecentIndex` is rebuilt
/// from it. Entries are only appended, except by a compaction.
package final class SeenLog {
  /// The name of the file.
  package static let name = "seen.log"
  /// The name of the file until it is complete and takes the place of the log.
  package static let newName = "\(name).new"

  /// The end of the log. It is committed once the ledger has it.
  package private(set) var mark: SeenMark
  /// The segments of the index on disk.
  package let segments: SeenSegments
  private let file: SeenFile

  private init(_ file: SeenFile, _ mark: SeenMark, _ segments: SeenSegments) {
    (self.file, self.mark, self.segments) = (file, mark, segments)
  }

  /// Opens the log, or creates it if nothing is committed; makes the index of every committed entry, and cuts off
  /// entries that were not committed. Finishes a compaction that a crash has interrupted.
  ///
  /// At least `limit` entries at a time are moved to segments on disk. `progress` is called often, with the share of the
  /// work that is done. Throws `.damaged` if the log is not as it was committed. The index must not be used then.
  package static func recover(
    _ ledger: Ledger,
    into index: inout SeenIndex,
    limit: Int = SeenSegments.defaultLimit,
    progress: (Double) -> Void = { _ in }
  ) throws(FileFailure) -> SeenLog {
    try SeenCompaction.finish(ledger)
    let file = try SeenFile(opening: name, in: ledger.folder.folder, at: ledger.seen)
    guard try file.entryCount() >= ledger.seen.entries else { throw try file.missingEntries(ledger.seen) }
    let log: SeenLog
    do throws(FileFailure) {
      log = try open(file, ledger, into: &index, limit, progress)
    } catch {
      guard error.kind == .damaged else { throw error }
      // Either the log is damaged, or segments were made of another one. They are made anew from the log alone.
      try SeenSegments.removeAll(in: ledger.folder.folder)
      log = try open(file, ledger, into: &index, limit, progress)
    }
    try file.truncate(to: ledger.seen)
    // After a crash the space may not be given back yet.
    file.release(before: ledger.state.forgotten)
    return log
  }

  /// Forgets committed entries from before a time, in seconds since 1970, beginning with the oldest, and returns their
  /// number: at most `limit`. A later copy of such a postback counts as a first one again.
  ///
  /// Entries are in the order in which they came, so that those behind one with a later time wait for it. Those that are on
  /// their way to a segment wait too.
  package func forget(
    before seconds: UInt32,
    now: UInt32 = .max,
    in ledger: Ledger,
    limit: Int64 = 1 << 17
  ) throws(FileFailure) -> Int64 {
    let start = ledger.state.forgotten
    // A thread that makes segments reads the entries behind the last one.
    let end = segments.isWorking ? segments.end.entries : ledger.seen.entries
    let old = try ForgottenEntries(file, from: start, to: end, before: seconds, now: now, limit: limit)
    guard old.end.entries > start.entries else { return 0 }
    var commit = LedgerCommit(time: ledger.committedAt)
    commit.forgotten = old
    try ledger.commit(commit)
    file.release(before: old.end)
    try segments.forget(before: old.end)
    return old.end.entries - start.entries
  }

  /// Returns the share of the committed entries that are from before a time, in seconds since 1970. They are in the order
  /// in which they came, so that few are read.
  package func share(before seconds: UInt32, of ledger: Ledger) throws(FileFailure) -> RemovalShare {
    let first = ledger.state.forgotten.entries
    var (low, high) = (first, ledger.seen.entries)
    while low < high {
      let middle = low + (high - low) / 2
      var isOld = false
      _ = try file.read(from: SeenMark(entries: middle, checksum: 0), to: middle + 1) { words in
        isOld = SeenEntry(words, at: 0).seenAt < seconds
      }
      (low, high) = isOld ? (middle + 1, high) : (low, middle)
    }
    return RemovalShare(old: low - first, of: ledger.seen.entries - first)
  }

  private static func open(
    _ file: SeenFile,
    _ ledger: Ledger,
    into index: inout SeenIndex,
    _ limit: Int,
    _ progress: (Double) -> Void
  ) throws(FileFailure) -> SeenLog {
    let end = ledger.seen
    let segments = try SeenSegments(
      ledger.folder.folder,
      from: ledger.state.forgotten,
      to: end.entries,
      limit: limit
    )
    let total = max(Double(end.entries - segments.end.entries), 1)
    func tell(_ rest: Int64) { progress(1 - Double(rest) / total) }
    if end.entries - segments.end.entries >= 2 * Int64(limit) {
      try segments.add(upTo: end) { tell(end.entries - segments.end.entries) }
    }
    var rest = end.entries - segments.end.entries
    var recent = RecentIndex(expecting: Int(rest))
    var seen: [RecentIndex.Seen] = []
    let reached = try file.read(from: segments.end, to: end.entries) { words throws(FileFailure) in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        seen.append(SeenEntry(words, at: start).seen)
      }
      rest -= Int64(words.count / SeenEntry.wordCount)
      tell(rest)
      guard seen.count >= restoredAtOnce else { return }
      recent.restore(seen)
      seen.removeAll(keepingCapacity: true)
    }
    guard reached == end else { throw file.damaged(end) }
    recent.restore(seen)
    let forgotten = try ledger.forgottenIDs()
    index = SeenIndex(recent, segments, end: end.entries, ledger.resendKey, forgotten: forgotten)
    return SeenLog(file, end, segments)
  }

  // A thread that goes on would write the files of the next one that opens the log.
  deinit { segments.stop() }

  /// Tells the segments that all entries are committed. Throws the failure of work on the segments.
  package func committed() throws(FileFailure) { try segments.committed(mark) }

  /// Waits until no committed entries are on their way from memory to a segment. Throws the failure of work on the segments.
  package func waitForSegments() throws(FileFailure) { try segments.waitForSegments() }

  /// Appends entries. They are not durable until `synchronize`.
  package func append(_ entries: [SeenEntry]) throws(FileFailure) { mark = try file.append(entries, after: mark) }

  /// The file of the log, whose entries may not be durable.
  package var fileToSynchronize: DurableFile { file.file }

  /// Throws `.damaged` if the file was removed or replaced.
  package func verifyName() throws(FileFailure) { try file.file.verifyName() }

  /// Makes all entries durable, so that `mark` may be committed.
  package func synchronize() throws(FileFailure) { try file.synchronize() }

  /// Drops the committed entries from before a time, in seconds since 1970, and returns their number. A later copy of
  /// such a postback counts as a first one again.
  ///
  /// Call it before `recover`. After a crash at any point the next start completes or discards the compaction.
  ///
  /// Calls `approve` with the share of the entries that would go. If it returns a reason not to, they stay, and that is
  /// returned.
  package static func compact(
    _ ledger: Ledger,
    before seconds: UInt32,
    approve: (RemovalShare) throws(FileFailure) -> RemovalRefusal? = { _ in nil }
  ) throws(FileFailure) -> Result<Int64, RemovalRefusal> {
    try SeenCompaction.finish(ledger)
    guard ledger.seen.entries > 0 else { return .success(0) }
    let all = ledger.seen.entries - ledger.state.forgotten.entries
    let compaction = try SeenCompaction(ledger, before: seconds)
    let refusal = try approve(RemovalShare(old: compaction.dropped.count, of: all))
    if refusal == nil, compaction.dropped.count > 0 { try compaction.begin(in: ledger) }
    // Without a beginning this removes the new file.
    try SeenCompaction.finish(ledger)
    return refusal.map { .failure($0) } ?? .success(compaction.dropped.count)
  }

  /// The number of entries to collect before they are added to the index, which goes through its segments each time.
  private static let restoredAtOnce = 1 << 19
}
