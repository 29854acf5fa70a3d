internal import Base
package import ConversionModel
package import PostbackPipeline
internal import SKAdNetwork
package import TableReading
package import Tables
package import DerivedTables

/// The numbers that a report shows for the tables of one or more runs. Their presentation is defined elsewhere.
package struct RejectReport: Sendable {
  /// The records that are left after a stage of the pipeline.
  package struct Step: Sendable {
    /// The stage, as a participle: read, parsed, verified, unique, decoded.
    package let name: String
    /// The number of records left.
    package let count: Int
  }

  /// A network or forwarder, with its rejects and all its records.
  package struct Sender: Sendable {
    /// The name of the network or forwarder; nil for records that do not name one.
    package let name: String?
    /// The number of its rejects by class, without copies from devices that are rejected because they contradict another
    /// sender, and without those in `unresolved`.
    package let rejects: RejectCounts
    /// The number of its rejected copies that differ from one of another forwarder, or of itself, without a device's own
    /// copy that tells who changed it.
    package let unresolved: Int
    /// The number of its accepted postbacks that a device's own, later copy contradicts.
    package let contradicted: Int
    /// The number of all its records.
    package let read: Int
    /// Its most frequent reject code that is suspicious; nil if it has none.
    package let mostFrequentCode: String?

    /// The number of its suspicious rejects and its contradicted accepted postbacks together.
    package var faults: Int { rejects.suspicious + contradicted }
  }

  /// The won postbacks of a conversion window, counted by the kind of their conversion value. Postbacks without a
  /// `did_win` field count as won.
  package struct Window: Sendable {
    /// The postback-sequence-index.
    package let index: Int
    /// The number of won postbacks with a fine value.
    package var fine = 0
    /// The number of won postbacks with a coarse value and no fine value.
    package var coarse = 0
    /// The number of won postbacks with neither a fine nor a coarse value.
    package var none = 0
  }

  /// The decoded revenue of an app, in one currency.
  package struct RevenueRange: Sendable {
    /// The rule that combines the sums of several windows.
    package enum Basis: Int, Comparable, Sendable {
      /// There is one window only.
      case oneWindow
      /// The windows are added.
      case sum
      /// A window includes those before it: the larger sum is taken.
      case largest

      /// The order of the cases.
      package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The App Store ID of the app.
    package let app: String
    /// The currency code.
    package let currency: String
    /// The number of postbacks with revenue.
    package var postbacks = 0
    /// The estimated revenue.
    package var estimate = Amount.zero
    /// The lower limit of the revenue.
    package var minimum = Amount.zero
    /// The upper limit of the revenue of those postbacks that have one.
    package var closedMaximum = Amount.zero
    /// The number of postbacks whose revenue has no upper limit.
    package var openEnded = 0
    /// The rule that combined the windows.
    package var basis = Basis.oneWindow

    /// The upper limit of the revenue; nil if the revenue of at least one postback has none.
    package var maximum: Amount? { openEnded > 0 ? nil : closedMaximum }
  }

  /// The number of installs on a day, in UTC.
  package struct InstallDay: Sendable {
    /// The day, as the number of days since 1970-01-01.
    package let day: Int
    /// The installs whose estimated date is this day.
    package var estimated = 0
    /// The installs that cannot be on any other day.
    package var certain = 0
    /// The installs that can be on this day.
    package var possible = 0
  }

  /// The records left after each stage: read → parsed → verified → unique → decoded.
  package let funnel: [Step]
  /// The number of unique postbacks with each `decode_status` other than `decoded`.
  package let undecoded: [(status: DecodeStatus, count: Int)]
  /// The span of time in which the records were received.
  package let received: ReceivedSpan
  /// The reject codes with their rejects, the most frequent first. Only times of the origin that `received` uses count.
  package let codes: [(code: String, tally: RowTally)]
  /// Rejects by time of receipt and code.
  package let timeline: Timeline
  /// The ad networks, those with the most rejects and contradicted postbacks first.
  package let networks: [Sender]
  /// The forwarders, in the same order.
  package let forwarders: [Sender]
  /// Decoded revenue by app and currency.
  package let revenue: [RevenueRange]
  /// Conversion values by window.
  package let windows: [Window]
  /// First postbacks of won installs by day, without gaps.
  package let installs: [InstallDay]
  /// The number of installs that `installs` leaves out: without plausible dates, with a time of another origin, or on
  /// days that are left out, because there are too many.
  package let otherInstalls: Int
  /// The copies whose unsigned values differ from those of the first copy.
  package let conflicts: Conflicts
  /// A sample of rejects, as whole rows.
  package let sample: RejectSample
  /// The counts for the filters.
  package let cube: ReportCube
  /// The last days beside as many before; nil if there are not two days.
  package let comparison: RejectComparison?
  /// Indicates that some networks, forwarders or other groups are left out, because there are more than can be kept.
  package let isBounded: Bool
  /// The lines of the tables that are not rows.
  package let unreadable: UnreadableRows

  /// The number of rejects.
  package var rejectCount: Int { codes.reduce(0) { $0 + $1.tally.count } }

  /// The number of rejects by class.
  package var rejectCounts: RejectCounts { codes.reduce(into: RejectCounts()) { $0.add($1.code, $1.tally.count) } }
}

extension RejectReport {
  /// Reads the tables of one or more runs. At most `sampleLimit` rejects are kept whole. With a cache only parts that are not in
  /// it are read.
  package init(
    rejects: TableFiles,
    accepted: TableFiles,
    sampleLimit: Int,
    cache: PartCache? = nil,
    jobs: Int
  ) async throws(PipelineFailure) {
    guard let cache else {
      self.init(try await ReportTotal(rejects: rejects, accepted: accepted, sampleLimit: sampleLimit, jobs: jobs))
      return
    }
    let reading = ReportReading(ReportCounting(sampleLimit: sampleLimit), cache: cache, jobs: jobs)
    self.init(try await reading.count(rejects: rejects, accepted: accepted))
  }

  /// The report of the rows that were counted.
  package init(_ total: ReportTotal) { self.init(total.count) }

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
    codes = received.withoutSources(count.codes).map { ($0.values[0] ?? "", $0.tally) }
      .sorted { ($1.1.count, $0.0) < ($0.1.count, $1.0) }
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
    let (cube, origin) = (ReportCube(count.cube, origin: received.origin), received.origin)
    self.cube = cube
    comparison = RejectPeriod.latest(of: cube.days).map {
      RejectComparison(count.cube, count.identifiers, origin: origin, $0)
    }
    isBounded = count.isBounded
    unreadable = count.unreadable
  }

  private static func timeline(_ groups: GroupTallies, by origin: TimeOrigin) -> Timeline {
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

  private static func senders(_ read: GroupTallies, _ byCode: GroupTallies, _ conflicts: Conflicts? = nil) -> [Sender] {
    let parties = Dictionary((conflicts?.parties ?? []).map { ($0.forwarder, $0.cameFirst) }, uniquingKeysWith: +)
    var codes: [String?: [(code: String, count: Int)]] = [:]
    for (key, tally) in byCode.tallies {
      let values = key.values
      codes[values[0], default: []].append((values[1] ?? "", tally.count))
    }
    return read.tallies.map { key, tally in
      let name = key.values[0]
      let rejected = codes[name] ?? []
      let most = rejected.filter { RejectCode(rawValue: $0.code)?.rejectClass == .suspicious }
        .max { ($0.count, $1.code) < ($1.count, $0.code) }
      var rejects = rejected.reduce(into: RejectCounts()) { $0.add($1.code, $1.count) }
      let unresolved = conflicts?.unattributed[name] ?? 0
      rejects.suspicious -= (conflicts?.attributedElsewhere[name] ?? 0) + unresolved
      return Sender(
        name: name,
        rejects: rejects,
        unresolved: unresolved,
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
