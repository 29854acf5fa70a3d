internal import DurableFiles
internal import PostbackPipeline
internal import PostbackVerification
internal import Tables
internal import DerivedTables
internal import TableReading

/// Reads what a report counts: all of it, or with a cache only what is in parts that were not counted before.
struct ReportReading {
  private let counting: ReportCounting
  private let cache: PartCache?
  private let jobs: Int

  init(_ counting: ReportCounting, cache: PartCache?, jobs: Int) {
    (self.counting, self.cache, self.jobs) = (counting, cache, jobs)
  }

  func count(rejects: TableFiles, accepted: TableFiles) async throws(PipelineFailure) -> ReportCount {
    let parts = try PipelineFailure.state { () throws(FileFailure) in
      (rejects: try rejects.divided(), accepted: try accepted.divided())
    }
    let counting = counting
    var count = ReportCount(sample: counting.sampleLimit)
    let merging = PartMerging(
      .page,
      settings: ["\(counting.sampleLimit)"],
      empty: count,
      cache: cache,
      jobs: jobs
    )
    try await merging.add(parts.rejects, to: &count) { counting.rejects(in: $0) }
    let keys = count.conflicts.keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    var conflicts = count.conflicts
    try await merging.add(parts.accepted, to: &count) { part, read throws(PipelineFailure) in
      if let cache {
        // Rejects that are not there yet may be copies of these postbacks.
        try read.senders.add(to: cache, as: try Self.name(of: part, in: cache))
      } else {
        conflicts.add(read.senders.firsts(among: keys))
      }
      read.senders = PartSenders()
    } _: {
      counting.accepted(in: $0)
    }
    if let cache { try await find(keys, in: parts.accepted, cache, &conflicts) }
    count.conflicts = conflicts
    return count
  }

  /// Adds the first copies with some keys, which are in order, to the conflicts.
  private func find(
    _ keys: [PostbackKey],
    in parts: [TablePart],
    _ cache: PartCache,
    _ conflicts: inout ConflictTable
  ) async throws(PipelineFailure) {
    let counting = counting
    for part in parts {
      let name = try Self.name(of: part, in: cache)
      cache.use(PartSenders.files(of: name))
      guard !keys.isEmpty else { continue }
      var senders = try PartSenders(name, in: cache) ?? PartSenders()
      if senders.isEmpty {
        try await part.files.scan(jobs: jobs) {
          counting.accepted(in: $0).senders
        } take: {
          senders.merge($0)
        }
      }
      conflicts.add(senders.firsts(among: keys))
    }
  }

  private static func name(of part: TablePart, in cache: PartCache) throws(PipelineFailure) -> String {
    try cache.name(.senders, [part.identity])
  }
}
