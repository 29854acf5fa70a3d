internal import Dispatch
package import DurableFiles
internal import Glibc
internal import PostbackVerification
internal import Synchronization

/// The segments of `seen.log`: files named `seen-FIRST-END.index`, whose ranges follow each other from the start of the log.
///
/// They are made from entries that are committed, by a thread of their own, and small ones are merged to larger ones. All of
/// it can be made anew from the log: a file that does not continue the log is removed at the next start.
package final class SeenSegments: Sendable {
  private struct State {
    var current: SegmentSnapshot
    /// The position before which all entries are forgotten.
    var forgotten: SeenMark
    /// The position up to which entries are to be moved out of memory; nil if there is no need.
    var requested: Int64?
    /// The position up to which entries are being moved out of memory; nil if nothing is being done.
    var working: Int64?
    var isStopped = false
    var failure: FileFailure?
  }

  private let folder: DurableFolder
  private let state: Mutex<State>
  /// The work of the thread that makes segments.
  private let work = DispatchGroup()

  /// The number of entries from which they are moved out of memory.
  package static let defaultLimit = 1 << 20
  let limit: Int

  /// The number of segments of about the same size that are merged to one.
  private static let mergedCount = 4

  /// Opens the segments that have a range of the log between two positions. Removes all other ones, unless `isReading`.
  package init(
    _ folder: DurableFolder,
    from forgotten: SeenMark,
    to end: Int64,
    limit: Int = defaultLimit,
    isReading: Bool = false
  ) throws(FileFailure) {
    self.folder = folder
    self.limit = limit
    var found: [SeenSegment] = []
    for name in try folder.names() where Self.isSegment(name) && name.hasSuffix(Self.suffix) {
      if let segment = try? SeenSegment(folder, name), segment.footer.end.entries <= end { found.append(segment) }
    }
    var chain: [SeenSegment] = []
    // After a crash there can be a merged segment beside those that it was made of.
    while let next = found.filter({ segment in
      guard let last = chain.last else { return segment.footer.first <= forgotten.entries }
      return segment.footer.first == last.footer.end.entries
    }).max(by: { $0.footer.end.entries < $1.footer.end.entries }) { chain.append(next) }
    if let last = chain.last, last.footer.end.entries <= forgotten.entries { chain = [] }
    if !isReading {
      for name in try folder.names() where Self.isSegment(name) && !chain.contains(where: { $0.name == name }) {
        try folder.remove(name)
      }
    }
    let newest = isReading ? nil : SegmentSnapshot.entriesToKeep(of: chain, limit)
    let current = SegmentSnapshot(segments: chain, newest: newest, forgotten: forgotten.entries)
    state = Mutex(State(current: current, forgotten: forgotten))
  }

  /// The names of the files, for a person.
  package static let pattern = "seen-*.index"
  static let prefix = "seen-"
  static let suffix = ".index"

  /// Returns true for the name of a segment, complete or not.
  static func isSegment(_ name: String) -> Bool {
    name.hasPrefix(prefix) && (name.hasSuffix(suffix) || name.hasSuffix("\(suffix).new"))
  }

  /// Removes all segments in a folder.
  static func removeAll(in folder: DurableFolder) throws(FileFailure) {
    for name in try folder.names() where isSegment(name) { try folder.remove(name) }
  }

  /// The segments as they are now.
  var current: SegmentSnapshot { state.withLock { $0.current } }

  /// The position up to which the segments have all entries.
  package var end: SeenMark { state.withLock { $0.current.segments.last?.footer.end ?? $0.forgotten } }

  /// Forgets all entries before a position, and removes segments that have only such entries.
  func forget(before mark: SeenMark) throws(FileFailure) {
    let removed = state.withLock { state in
      state.forgotten = mark
      state.current.forget(before: mark.entries)
      // A thread that is merging them removes them later.
      guard state.working == nil else { return [] as [SeenSegment] }
      return state.current.removeForgotten()
    }
    for segment in removed { try folder.remove(segment.name) }
  }

  /// Requests that all entries before a position are moved into segments, once they are committed.
  func request(upTo position: Int64) { state.withLock { $0.requested = position } }

  /// Begins the requested work if its entries are committed now. Throws the failure of earlier work.
  func committed(_ mark: SeenMark) throws(FileFailure) {
    let isDue = try state.withLock { state throws(FileFailure) in
      if let failure = state.failure { throw failure }
      guard state.working == nil, !state.isStopped, let requested = state.requested, requested <= mark.entries else {
        return false
      }
      state.requested = nil
      state.working = mark.entries
      return true
    }
    guard isDue else { return }
    DispatchQueue(label: "segments", qos: .utility).async(group: work) { [self] in
      do throws(FileFailure) {
        try add(upTo: mark) {}
        state.withLock { $0.working = nil }
      } catch {
        state.withLock {
          $0.failure = error
          $0.working = nil
        }
      }
    }
  }

  /// Waits until the entries that are being moved out of memory are in a segment, so that the next start need not read them
  /// again. Does not wait until segments are merged. Throws the failure of the work.
  func waitForSegments() throws(FileFailure) {
    // Looks again and again, because it waits for a step in the midst of the work, and once for each run.
    while state.withLock({ state in state.working.map { state.current.end < $0 } ?? false }) { usleep(1000) }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Stops a thread that makes segments, and waits for its end. What it has not completed is made at the next start.
  func stop() {
    state.withLock { $0.isStopped = true }
    work.wait()
  }

  /// Throws if the work is to stop.
  private func checkStop() throws(FileFailure) {
    if state.withLock({ $0.isStopped }) { throw FileFailure(.exhausted, folder.path, "The work was stopped") }
  }

  /// True while a thread makes segments.
  package var isWorking: Bool { state.withLock { $0.working != nil } }

  /// Makes segments of the entries behind the last segment, up to a position, and merges small ones. Calls `tick` often.
  func add(upTo mark: SeenMark, _ tick: () -> Void) throws(FileFailure) {
    let log = try SeenFile(SeenLog.name, in: folder, .reading)
    while end.entries < mark.entries {
      let rest = mark.entries - end.entries
      // Of a long log larger segments are made at once, which saves merging; and no small one is left at its end.
      let count = rest < 2 * Int64(limit) ? rest : max(Int64(limit), min(rest / 16, 1 << 22))
      let segment = try make(log, count, of: rest == count ? mark : nil, tick)
      publish(current.segments + [segment])
      try merge(tick)
    }
    try trim(tick)
  }

  /// Writes the oldest segment anew if more than half of its range is forgotten.
  private func trim(_ tick: () -> Void) throws(FileFailure) {
    let (segments, forgotten) = (current.segments, current.forgotten)
    guard let oldest = segments.first, forgotten < oldest.footer.end.entries,
      2 * (forgotten - oldest.footer.first) > oldest.footer.end.entries - oldest.footer.first
    else { return }
    try replace([oldest], first: forgotten, of: segments, tick)
  }

  private func make(
    _ log: SeenFile,
    _ count: Int64,
    of mark: SeenMark?,
    _ tick: () -> Void
  ) throws(FileFailure) -> SeenSegment {
    let start = end
    var entries: [SeenSegment.Entry] = []
    entries.reserveCapacity(Int(count))
    let reached = try log.read(from: start, to: start.entries + count) { words throws(FileFailure) in
      for word in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        let position = start.entries + Int64(entries.count)
        entries.append(SeenSegment.Entry(seen: SeenEntry(words, at: word).seen, position: position))
      }
      tick()
    }
    if let mark, mark != reached { throw log.damaged(mark) }
    entries.sort { $0.seen.key == $1.seen.key ? $0.position > $1.position : $0.seen.key.precedes($1.seen.key) }
    tick()
    try checkStop()
    var last: PostbackKey?
    return try write(first: start.entries, end: reached, expecting: count) { writer throws(FileFailure) in
      for entry in entries where entry.seen.key != last {
        try writer.append(entry)
        last = entry.seen.key
      }
    }
  }

  /// Merges the newest segments while several of them have about the same size.
  private func merge(_ tick: () -> Void) throws(FileFailure) {
    while true {
      let (segments, forgotten) = (current.segments, current.forgotten)
      let merged = Array(segments.suffix(Self.mergedCount))
      guard merged.count == Self.mergedCount, let first = merged.first, let last = merged.last,
        Set(merged.map { level(of: $0) }).count == 1,
        last.footer.end.entries - first.footer.first <= SeenSegment.greatestRange
      else { return }
      try replace(
        merged,
        first: max(first.footer.first, min(forgotten, last.footer.end.entries - 1)),
        of: segments,
        tick
      )
    }
  }

  /// Replaces some segments by one with their entries from `first` on.
  private func replace(
    _ merged: [SeenSegment],
    first: Int64,
    of segments: [SeenSegment],
    _ tick: () -> Void
  ) throws(FileFailure) {
    guard let end = merged.last?.footer.end else { return }
    let count = merged.reduce(0) { $0 + $1.footer.entryCount }
    let segment = try write(first: first, end: end, expecting: count) { writer throws(FileFailure) in
      var source = SegmentMerge(merged)
      var number = 0
      while let entry = try source.next() {
        if entry.position >= first { try writer.append(entry) }
        number += 1
        if number & 0xFFFF == 0 {
          tick()
          try checkStop()
        }
      }
    }
    publish(
      segments.filter { one in !merged.contains { $0 === one } && one.footer.end.entries < end.entries } + [segment]
        + segments.filter { $0.footer.end.entries > end.entries }
    )
    for segment in merged { try folder.remove(segment.name) }
  }

  /// The class of size of a segment: each is four times the one below.
  private func level(of segment: SeenSegment) -> Int {
    var (level, count) = (0, segment.footer.end.entries - segment.footer.first)
    while count >= 2 * Int64(limit) {
      level += 1
      count /= Int64(Self.mergedCount)
    }
    return level
  }

  private func publish(_ segments: [SeenSegment]) {
    let newest = SegmentSnapshot.entriesToKeep(of: segments, limit)
    state.withLock { $0.current.replace(by: segments, newest: newest) }
  }

  /// Writes a segment, durably. Its name is temporary until it is complete.
  private func write(
    first: Int64,
    end: SeenMark,
    expecting count: Int64,
    _ body: (inout SegmentWriter) throws(FileFailure) -> Void
  ) throws(FileFailure) -> SeenSegment {
    let name = "\(Self.prefix)\(first)-\(end.entries)\(Self.suffix)"
    var writer = try SegmentWriter("\(folder.path)/\(name).new", first: first, end: end, expecting: count)
    try body(&writer)
    try writer.finish()
    try folder.rename("\(name).new", to: name)
    return try SeenSegment(folder, name)
  }

  /// Reads and verifies all segments, and returns the keys of their entries that are not forgotten.
  package func keys() throws(FileFailure) -> KeyTally {
    var keys = KeyTally()
    let (segments, forgotten) = (current.segments, current.forgotten)
    for segment in segments {
      var source = SegmentMerge([segment])
      while let entry = try source.next() {
        if entry.position >= forgotten { keys.add(entry.seen.key) }
      }
    }
    return keys
  }
}
