package import DurableFiles
package import PostbackVerification
internal import Synchronization

/// The index of all accepted postbacks: the newest in memory, the others in segments on disk.
///
/// When many are in memory, they are frozen: they stay there until a segment has them, and new ones go to an empty index.
/// The entries of the newest segment are in memory too, unless they are many. Takes about 2 bytes of memory for each
/// postback in segments, and some 40 for each of the newest, which are at most about four million if commits are regular.
///
/// Several tasks may look for postbacks at once while one admits them.
package final class SeenIndex: Sendable {
  private struct Memory {
    var recent = RecentIndex()
    var frozen: RecentIndex?
    /// The position in the log behind the frozen entries.
    var frozenEnd: Int64 = 0
    /// The position in the log behind all entries.
    var end: Int64 = 0

    func entry(for key: PostbackKey) -> RecentIndex.Seen? {
      recent.entry(for: key) ?? frozen?.entry(for: key)
    }
  }

  /// The key of the digests by which resends are recognised.
  package let resendKey: ResendKey
  /// The postbacks that were removed on a person's request.
  package let forgotten: ForgottenIDs
  private let memory: Mutex<Memory>
  private let segments: SeenSegments?
  /// The combination of words that were read in advance, kept so that the compiler does not remove the reads.
  private let prefetched = Atomic<UInt64>(0)

  /// The number of postbacks for which the memory is locked at a time, so that others need not wait long.
  private static let lockedAtOnce = 256

  /// The number of distinct postbacks so far.
  package var count: Int { Int(memory.withLock { $0.end } - (segments?.current.forgotten ?? 0)) }

  /// Makes an empty index that keeps all entries in memory.
  package init() {
    resendKey = ResendKey()
    forgotten = ForgottenIDs()
    memory = Mutex(Memory())
    segments = nil
  }

  /// Makes an index of a log, of which `recent` has all entries that are not in segments.
  init(
    _ recent: RecentIndex,
    _ segments: SeenSegments,
    end: Int64,
    _ resendKey: ResendKey,
    forgotten: ForgottenIDs
  ) {
    (self.segments, self.resendKey, self.forgotten) = (segments, resendKey, forgotten)
    memory = Mutex(Memory(recent: recent, end: end))
  }

  /// The result of a look for postbacks.
  package struct Findings: Sendable {
    /// For each postback the entry of the first one with its key; nil if none was found.
    package fileprivate(set) var entries: [RecentIndex.Seen?]
    /// The position in the log before which those that were not found have no entry on disk.
    package fileprivate(set) var end: Int64 = 0
  }

  /// A postback to be admitted.
  package struct Candidate: Sendable {
    let seen: RecentIndex.Seen
    /// The position in the log before which it has no entry on disk.
    let searchedUpTo: Int64

    /// Makes a candidate that was looked for: it has no entry on disk before a position in the log.
    package init(_ seen: RecentIndex.Seen, searchedUpTo: Int64 = 0) {
      (self.seen, self.searchedUpTo) = (seen, searchedUpTo)
    }
  }

  /// Looks for postbacks that were admitted. Those that are admitted meanwhile may be found or not. Throws if a segment
  /// cannot be read.
  package func find(_ keys: [PostbackKey]) throws(FileFailure) -> Findings {
    var findings = Findings(entries: [])
    findings.entries.reserveCapacity(keys.count)
    // Entries leave the memory only when they are in segments.
    for start in stride(from: 0, to: keys.count, by: Self.lockedAtOnce) {
      let some = keys[start..<min(start + Self.lockedAtOnce, keys.count)]
      memory.withLock { memory in
        memory.recent.prepare(for: some)
        for key in some { findings.entries.append(memory.entry(for: key)) }
      }
    }
    guard let segments else { return findings }
    let current = segments.current
    findings.end = current.end
    prefetched.store(current.prefetch(keys), ordering: .relaxed)
    for (index, key) in keys.enumerated() where findings.entries[index] == nil {
      findings.entries[index] = try current.entry(for: key)
    }
    return findings
  }

  /// Classifies verified postbacks in order, and stores each that is the first with its key. Only one task may call it.
  /// Throws if a segment cannot be read.
  package func admit(_ candidates: [Candidate]) throws(FileFailure) -> [RecentIndex.Admission] {
    var admissions: [RecentIndex.Admission] = []
    admissions.reserveCapacity(candidates.count)
    let current = segments?.current
    let end = current?.end ?? 0
    for start in stride(from: 0, to: candidates.count, by: Self.lockedAtOnce) {
      let some = candidates[start..<min(start + Self.lockedAtOnce, candidates.count)]
      // Segments that were made since the look, in rare cases.
      var older: [Int: RecentIndex.Seen] = [:]
      for (index, candidate) in zip(some.indices, some) where candidate.searchedUpTo < end {
        older[index] = try current?.entry(for: candidate.seen.key, beyond: candidate.searchedUpTo)
      }
      memory.withLock { memory in
        if end >= memory.frozenEnd { memory.frozen = nil }
        memory.recent.prepare(for: some.lazy.map(\.seen.key))
        for (index, candidate) in zip(some.indices, some) {
          let first = older.isEmpty ? nil : older[index]
          if let first = first ?? memory.frozen?.entry(for: candidate.seen.key) {
            admissions.append(candidate.seen.admission(after: first))
            continue
          }
          let admission = memory.recent.admit(candidate.seen)
          admissions.append(admission)
          if admission == .first { memory.end += 1 }
        }
        if let segments, memory.frozen == nil, memory.recent.count >= segments.limit {
          (memory.frozen, memory.frozenEnd, memory.recent) = (memory.recent, memory.end, RecentIndex())
          segments.request(upTo: memory.end)
        }
      }
    }
    return admissions
  }
}
