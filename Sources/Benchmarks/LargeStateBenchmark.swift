internal import Base
internal import Ledger
internal import PostbackPipeline

/// The costs of a state with so many ids that their index is on disk: opening, memory and lookup.
struct LargeStateBenchmark {
  /// The number of ids.
  let keys: Int
  /// The folder for the state.
  let folder: String

  /// Makes the state, measures, and returns the measures.
  func measures() throws -> [Measure] {
    try make()
    var measures: [Measure] = []
    func add(_ id: String, _ title: String, _ value: Double, _ unit: Measure.Unit) {
      measures.append(Measure("state.\(keys).\(id)", "\(keys) ids: \(title)", value, unit))
    }
    let before = try Machine.memory("RssAnon")
    var start = ContinuousClock.now
    _ = try PipelineState(folder, settings: [:])
    add("first_opening", "opening without segments", (.now - start) / .milliseconds(1), .milliseconds)
    add("peak", "greatest memory an id while they are made", Double(try Machine.memory("VmHWM")) / Double(keys), .bytes)
    start = .now
    var index = SeenIndex()
    let log = try SeenLog.recover(try Ledger(existing: StateFolder(existing: folder)), into: &index)
    add("opening", "opening", (.now - start) / .milliseconds(1), .milliseconds)
    add("memory", "memory an id", Double(try Machine.memory("RssAnon") - before) / Double(keys), .bytes)
    add("segments_end", "share of ids on disk", Double(log.segments.end.entries) / Double(keys) * 100, .percent)
    // The first look brings the pages into the page cache.
    for round in 0..<2 {
      let found = try lookup(index, seed: 1, .identical)
      if round == 1 { add("lookup", "lookup of an id, processor time", found, .nanoseconds) }
    }
    add("new", "lookup and insert of a new id, processor time", try lookup(index, seed: 2, .first), .nanoseconds)
    return measures
  }

  /// Returns the processor time to admit each of some hundred thousand ids, in nanoseconds.
  private func lookup(_ index: SeenIndex, seed: UInt64, _ expected: RecentIndex.Admission) throws -> Double {
    let count = min(keys, 500 * KeyChunk.size)
    var generator = SplitMix64(seed: seed)
    var chunk = KeyChunk()
    var (time, matches) = (0, 0)
    for _ in stride(from: 0, to: count, by: KeyChunk.size) {
      chunk.fill(&generator)
      let begin = Machine.processorTime
      let found = try index.find(chunk.keys)
      let candidates = chunk.keys.indices.filter { found.entries[$0] == nil }
        .map { SeenIndex.Candidate(chunk.seen($0), searchedUpTo: found.end) }
      let admissions =
        try index.admit(candidates)
        + chunk.keys.indices.compactMap { place in found.entries[place].map { chunk.seen(place).admission(after: $0) } }
      matches += admissions.count { $0 == expected }
      time += Machine.processorTime - begin
    }
    guard matches >= count else {
      throw BenchmarkFailure("the index took \(count - matches) keys for what they are not")
    }
    return Double(time) / Double(matches)
  }

  /// Writes a log with keys of a seed, and commits it.
  func make() throws {
    let ledger = try Ledger(try StateFolder(folder), settings: [:])
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    var generator = SplitMix64(seed: 1)
    var chunk = KeyChunk()
    while log.mark.entries < keys {
      chunk.fill(&generator)
      try log.append(chunk.keys.indices.map { SeenEntry(chunk.seen($0), inputID: 0, seenAt: 0) })
    }
    try log.synchronize()
    var commit = LedgerCommit(time: 0)
    commit.seen = log.mark
    try ledger.commit(commit)
  }
}
