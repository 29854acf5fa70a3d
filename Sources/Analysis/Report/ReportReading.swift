internal import ConversionModel
internal import JSON
package import PostbackPipeline
internal import SKAdNetwork

extension Report {
  /// Reads the tables of some runs once; of rejects at most `sampleLimit` are kept whole.
  package init(
    rejects: TableFiles,
    accepted: TableFiles,
    sampleLimit: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    let counting = ReportCounting(sampleLimit: sampleLimit)
    var count = ReportCount(sample: sampleLimit)
    try await rejects.scan(jobs: jobs) {
      counting.rejects(in: $0)
    } take: {
      count.merge($0)
    }
    try await accepted.scan(jobs: jobs) {
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
    // What has a stage that is none counts as not parsed.
    let unique = count.accepted
    let verified = unique + rejects([.dedup])
    let parsed = verified + rejects([.signature, .policy])
    funnel = [
      Step(name: "read", count: read), Step(name: "parsed", count: parsed), Step(name: "verified", count: verified),
      Step(name: "unique", count: unique), Step(name: "decoded", count: count.decoded),
    ]
    codes = count.codes.tallies.map { ($0.key.values[0] ?? "", $0.value) }.sorted { one, other in
      one.1.count == other.1.count ? one.0 < other.0 : one.1.count > other.1.count
    }
    timeline = Self.timeline(count.hours)
    networks = Self.senders(count.networks, count.networkCodes)
    forwarders = Self.senders(count.forwarders, count.forwarderCodes)
    revenue = count.revenue.values.sorted { one, other in
      one.estimate == other.estimate
        ? (one.app, one.currency) < (other.app, other.currency) : one.estimate > other.estimate
    }
    windows = count.windows
    let days = Self.days(count.installs)
    installs = days.shown
    otherInstalls = count.otherInstalls + days.others
    conflicts = Self.conflicts(count.conflicts)
    sample = count.sample
    isBounded = count.isBounded
    unreadable = count.unreadable
  }

  private static func timeline(_ groups: Groups) -> Timeline {
    var undated = groups.rest.count
    var hours: [(hour: Int, code: String, count: Int)] = []
    for (key, tally) in groups.tallies {
      let values = key.values
      if let time = values[0].flatMap({ Timestamp("\($0):00:00Z") }) {
        hours.append((Int(time.milliseconds / 3_600_000), values[1] ?? "", tally.count))
      } else {
        undated += tally.count
      }
    }
    return Timeline(hours, undated: undated)
  }

  private static func senders(_ read: Groups, _ byCode: Groups) -> [Sender] {
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
        rejects: rejected.reduce(0) { $0 + $1.count },
        read: tally.count,
        mostFrequentCode: most?.code
      )
    }
    .sorted { ($1.rejects, $1.read, $0.name ?? "") < ($0.rejects, $0.read, $1.name ?? "") }
  }

  /// The days without gaps; where that is more than a chart can show, the latest that have most of the installs.
  private static func days(_ installs: [Int: InstallDay]) -> (shown: [InstallDay], others: Int) {
    guard let last = installs.keys.max(), let first = installs.keys.min() else { return ([], 0) }
    let start = max(first, last - mostDays + 1)
    let shown = (start...last).map { installs[$0] ?? InstallDay(day: $0) }
    let others = installs.values.reduce(0) { $0 + ($1.day < start ? $1.estimated : 0) }
    return (shown, others)
  }

  private static let mostDays = 120

  private static func conflicts(_ groups: Groups) -> [Conflict] {
    var counts: [[String?]: Int] = [:]
    for (key, tally) in groups.tallies {
      guard let text = key.values[0], case .array(let fields) = try? JSONValue(parsing: Array(text.utf8)) else {
        continue
      }
      for case .object(let members) in fields {
        func text(_ key: String) -> String? {
          guard case .string(let text) = members.first(where: { $0.key == key })?.value else { return nil }
          return text
        }
        guard let field = text("field") else { continue }
        counts[[field, text("first"), text("later")], default: 0] += tally.count
      }
    }
    return counts.map { Conflict(field: $0.key[0] ?? "", first: $0.key[1], later: $0.key[2], count: $0.value) }
      .sorted { one, other in
        one.count == other.count
          ? (one.field, one.first ?? "", one.later ?? "") < (other.field, other.first ?? "", other.later ?? "")
          : one.count > other.count
      }
  }
}
