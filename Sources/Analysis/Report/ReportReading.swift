internal import DurableFiles
internal import PostbackPipeline
internal import PostbackVerification
internal import Tables
internal import DerivedTables
internal import TableReading

/// Reads what a report counts in parts that are not in a cache.
struct ReportReading {
  private let counting: ReportCounting
  private let cache: PartCache
  private let jobs: Int

  init(_ counting: ReportCounting, cache: PartCache, jobs: Int) {
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
    try await merging.add(parts.rejects, to: &count) { counting.rejects(in: ParsedRows($0, of: .rejects)) }
    let keys = count.conflicts.keysInOrder
    var conflicts = count.conflicts
    try await merging.add(parts.accepted, to: &count) { part, read throws(PipelineFailure) in
      // Rejects that are not there yet may be copies of these postbacks.
      try read.senders.add(to: cache, as: try name(of: part))
      read.senders = PartSenders()
    } _: {
      counting.accepted(in: ParsedRows($0, of: .postbacks))
    }
    try await find(keys, in: parts.accepted, &conflicts)
    count.conflicts = conflicts
    return count
  }

  /// Adds the first copies with some keys, which are in order, to the conflicts.
  private func find(
    _ keys: [PostbackKey],
    in parts: [TablePart],
    _ conflicts: inout ConflictTable
  ) async throws(PipelineFailure) {
    let counting = counting
    for part in parts {
      let name = try name(of: part)
      cache.use(PartSenders.files(of: name))
      guard !keys.isEmpty else { continue }
      var senders = try PartSenders(name, in: cache) ?? PartSenders()
      if senders.isEmpty {
        try await part.files.scan(jobs: jobs) {
          counting.accepted(in: ParsedRows($0, of: .postbacks)).senders
        } take: {
          senders.merge($0)
        }
      }
      conflicts.add(senders.firsts(among: keys))
    }
  }

  private func name(of part: TablePart) throws(PipelineFailure) -> String {
    try cache.name(.senders, [part.identity])
  }
}
