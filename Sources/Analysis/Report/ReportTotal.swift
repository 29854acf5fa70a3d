internal import PostbackPipeline
internal import PostbackVerification
internal import TableReading
internal import Tables

/// The counts for a report of rows that are read for another purpose too: of all rejects, and then of all accepted postbacks.
package struct ReportTotal: Sendable {
  /// The counter of batches.
  package let counting: ReportCounting
  private(set) var count: ReportCount
  /// The keys of the first copies that conflicts need, in order; nil until the first accepted postback comes.
  private var keys: [PostbackKey]?

  /// A total of no rows. At most `sampleLimit` rejects are kept whole.
  package init(sampleLimit: Int) {
    counting = ReportCounting(sampleLimit: sampleLimit)
    count = ReportCount(sample: sampleLimit)
  }

  /// The total of whole tables, which are read once.
  init(rejects: TableFiles, accepted: TableFiles, sampleLimit: Int, jobs: Int) async throws(PipelineFailure) {
    self.init(sampleLimit: sampleLimit)
    let counting = counting
    try await rejects.scan(jobs: jobs) {
      counting.rejects(in: ParsedRows($0, of: .rejects))
    } take: {
      add($0)
    }
    try await accepted.scan(jobs: jobs) {
      counting.accepted(in: ParsedRows($0, of: .postbacks))
    } take: {
      add($0)
    }
  }

  /// Adds the counts of a batch that comes later.
  package mutating func add(_ later: ReportCount) {
    var later = later
    if !later.senders.isEmpty {
      let keys = keys ?? count.conflicts.keysInOrder
      self.keys = keys
      count.conflicts.add(later.senders.firsts(among: keys))
      later.senders = PartSenders()
    }
    count.merge(later)
  }
}
