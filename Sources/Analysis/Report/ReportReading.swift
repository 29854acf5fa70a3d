internal import Base
internal import ConversionModel
package import PostbackPipeline
internal import SKAdNetwork

extension Report {
  /// Reads the tables of one or more runs, each table once. At most `sampleLimit` rejects are kept whole.
  package init(
    rejects: TableFiles,
    accepted: TableFiles,
    sampleLimit: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    var counting = ReportCounting(sampleLimit: sampleLimit)
    var count = ReportCount(sample: sampleLimit)
    try await rejects.scan(jobs: jobs) { [counting] in
      counting.rejects(in: $0)
    } take: {
      count.merge($0)
    }
    counting.conflictKeys = count.conflicts.keys
    try await accepted.scan(jobs: jobs) { [counting] in
      counting.accepted(in: $0)
    } take: {
      count.merge($0)
    }
    self.init(count)
  }

  private init(_ count: ReportCount) {
    let stages = Dictionary(count.stages.tallies.map { ($0.key.values[0] ?? "", $0.value.count) }) { $0 + $1 }
    func rejects(_ lost: [RejectStage]) -> Int { lost.reduce(0) { $0 + (stages[$1.rawValue] ?? 0) } }
    let read = count.accepted + stages.values.reduce(0, +) + count.stages.rest.count
    let statuses = Dictionary(count.statuses.tallies.map { ($0.key.values[0], $0.value.count) }) { $0 + $1 }
    // Rejects with an unknown stage count as not parsed.
    let unique = count.accepted
    let verified = unique + rejects([.dedup])
    let parsed = verified + rejects([.signature, .policy])
    funnel = [
      Step(name: "read", count: read), Step(name: "parsed", count: parsed), Step(name: "verified", count: verified),
      Step(name: "unique", count: unique), Step(name: "decoded", count: statuses[DecodeStatus.decoded.rawValue] ?? 0),
    ]
    undecoded = DecodeStatus.allCases.filter { $0 != .decoded }.map { ($0, statuses[$0.rawValue] ?? 0) }
    received = ReceivedSpan(count.sources)
    codes = received.withoutSources(count.codes).map { ($0.values[0] ?? "", $0.tally) }.sorted { one, other in
      one.1.count == other.1.count ? one.0 < other.0 : one.1.count > other.1.count
    }
    timeline = Self.timeline(count.hours, by: received.origin)
    conflicts = Conflicts(count.conflicts)
    networks = Self.senders(count.networks, count.networkCodes)
    forwarders = Self.senders(count.forwarders, count.forwarderCodes, conflicts)
    revenue = count.revenue.ranges
    windows = count.windows
    let days = Self.days(count.installs, by: received.origin)
    installs = days.shown
    otherInstalls = count.otherInstalls + days.others
    sample = count.sample
    isBounded = count.isBounded
    unreadable = count.unreadable
  }

  private static func timeline(_ groups: Groups, by origin: TimeOrigin) -> Timeline {
    var undated = groups.rest.count
    var hours: [(hour: Int, code: String, count: Int)] = []
    for (key, tally) in groups.tallies {
      let values = key.values
      if TimeOrigin(values[0]) == origin, let time = values[1].flatMap({ Timestamp("\($0):00:00Z") }) {
        hours.append((Int(time.milliseconds / 3_600_000), values[2] ?? "", tally.count))
      } else {
        undated += tally.count
      }
    }
    return Timeline(hours, undated: undated)
  }

  private static func senders(_ read: Groups, _ byCode: Groups, _ conflicts: Conflicts? = nil) -> [Sender] {
    let parties = Dictionary(
      (conflicts?.parties ?? []).map { ($0.forwarder, $0.cameFirst) },
      uniquingKeysWith: +
    )
    var codes: [String?: [(code: String, count: Int)]] = [:]
    for (key, tally) in byCode.tallies {
      let values = key.values
      codes[values[0], default: []].append((values[1] ?? "", tally.count))
    }
    return read.tallies.map { key, tally in
      let name = key.values[0]
      let rejected = codes[name] ?? []
      let most = rejected.max { ($0.count, $1.code) < ($1.count, $0.code) }
      return Sender(
        name: name,
        rejects: rejected.reduce(0) { $0 + $1.count } - (conflicts?.attributedElsewhere[name] ?? 0),
        contradicted: parties[name] ?? 0,
        read: tally.count,
        mostFrequentCode: most?.code
      )
    }
    .sorted { ($1.faults, $1.read, $0.name ?? "") < ($0.faults, $0.read, $1.name ?? "") }
  }

  /// Returns the days to show and the number of installs left out. The days have no gaps and are at most the latest
  /// `mostDays`. Installs whose time has another origin are left out.
  private static func days(
    _ all: [[Int: InstallDay]],
    by origin: TimeOrigin
  ) -> (shown: [InstallDay], others: Int) {
    let installs = all[origin.rawValue]
    let otherTimes = all.enumerated().filter { $0.offset != origin.rawValue }.flatMap(\.element.values)
      .reduce(0) { $0 + $1.estimated }
    guard let last = installs.keys.max(), let first = installs.keys.min() else { return ([], otherTimes) }
    let start = max(first, last - mostDays + 1)
    let shown = (start...last).map { installs[$0] ?? InstallDay(day: $0) }
    let others = installs.values.reduce(otherTimes) { $0 + ($1.day < start ? $1.estimated : 0) }
    return (shown, others)
  }

  private static let mostDays = 120
}
