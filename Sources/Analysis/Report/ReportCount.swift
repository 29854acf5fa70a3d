internal import PostbackPipeline

/// The counts that a report needs, of one batch or of all batches so far. Their size is bounded, whatever the tables
/// hold.
struct ReportCount: Sendable {
  /// Rejects and accepted postbacks by `received_at_source`.
  var sources = Groups()
  /// Rejects by `received_at_source` and reject code.
  var codes = Groups()
  /// Rejects by stage.
  var stages = Groups()
  /// Rejects by `received_at_source`, hour of receipt and reject code.
  var hours = Groups()
  /// Rejects by ad network and reject code.
  var networkCodes = Groups()
  /// Rejects by forwarder and reject code.
  var forwarderCodes = Groups()
  /// Rejects and accepted postbacks by ad network.
  var networks = Groups()
  /// Rejects and accepted postbacks by forwarder.
  var forwarders = Groups()
  var copies: [ConflictReader.Copy] = []
  var firsts: [ConflictReader.First] = []
  var conflicts = ConflictTable()
  var sample: RejectSample

  var accepted = 0
  /// Accepted postbacks by `decode_status`.
  var statuses = Groups()
  var windows = (0...2).map { Report.Window(index: $0) }
  var revenue = RevenueSums()
  /// Installs by day, in one dictionary for each `TimeOrigin`.
  var installs = [[Int: Report.InstallDay]](repeating: [:], count: TimeOrigin.allCases.count)
  var otherInstalls = 0
  var unreadable = UnreadableRows()

  private static let mostDays = 20_000

  init(sample limit: Int) { sample = RejectSample(limit: limit) }

  mutating func merge(_ later: ReportCount) {
    sources.merge(later.sources)
    codes.merge(later.codes)
    stages.merge(later.stages)
    hours.merge(later.hours)
    networkCodes.merge(later.networkCodes)
    forwarderCodes.merge(later.forwarderCodes)
    networks.merge(later.networks)
    forwarders.merge(later.forwarders)
    conflicts.add(later.copies)
    conflicts.add(later.firsts)
    sample.merge(later.sample)
    accepted += later.accepted
    statuses.merge(later.statuses)
    for index in windows.indices { windows[index] += later.windows[index] }
    revenue.merge(later.revenue)
    for kind in installs.indices {
      for (day, days) in later.installs[kind].sorted(by: { $0.key < $1.key }) {
        if installs[kind][day] == nil, installs[kind].count >= Self.mostDays {
          otherInstalls += days.estimated
        } else {
          installs[kind][day, default: .init(day: day)] += days
        }
      }
    }
    otherInstalls += later.otherInstalls
    unreadable += later.unreadable
  }

  /// True if some groups, revenue or copies are left out, because there are more than can be kept.
  var isBounded: Bool {
    let groups = [sources, codes, hours, networks, networkCodes, forwarders, forwarderCodes, statuses]
    return groups.contains { $0.rest.count > 0 } || revenue.isBounded || conflicts.unfollowed > 0
  }
}

extension Report.Window {
  static func += (left: inout Self, right: Self) {
    left.fine += right.fine
    left.coarse += right.coarse
    left.none += right.none
  }
}

extension Report.InstallDay {
  static func += (left: inout Self, right: Self) {
    left.estimated += right.estimated
    left.certain += right.certain
    left.possible += right.possible
  }
}
