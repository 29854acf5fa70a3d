internal import ConversionModel
internal import JSON
internal import PostbackPipeline

/// What a report needs of a batch, or of all batches so far. Bounded, whatever the tables hold.
struct ReportCount: Sendable {
  var codes = Groups()
  /// By stage.
  var stages = Groups()
  /// By hour and code.
  var hours = Groups()
  /// By sender and code, and by sender alone.
  var networkCodes = Groups()
  var forwarderCodes = Groups()
  var networks = Groups()
  var forwarders = Groups()
  var conflicts = Groups()
  var sample: RejectSample

  var accepted = 0
  var decoded = 0
  var windows = (0...2).map { Report.Window(index: $0) }
  var revenue: [RevenueKey: Report.RevenueRange] = [:]
  var installs: [Int: Report.InstallDay] = [:]
  var otherInstalls = 0
  var isBounded = false
  var unreadable = UnreadableRows()

  struct RevenueKey: Hashable, Comparable {
    let app, currency: String

    static func < (left: Self, right: Self) -> Bool { (left.app, left.currency) < (right.app, right.currency) }
  }

  private static let mostRevenues = 10_000
  private static let mostDays = 20_000

  init(sample limit: Int) { sample = RejectSample(limit: limit) }

  mutating func merge(_ later: ReportCount) {
    codes.merge(later.codes)
    stages.merge(later.stages)
    hours.merge(later.hours)
    networkCodes.merge(later.networkCodes)
    forwarderCodes.merge(later.forwarderCodes)
    networks.merge(later.networks)
    forwarders.merge(later.forwarders)
    conflicts.merge(later.conflicts)
    sample.merge(later.sample)
    accepted += later.accepted
    decoded += later.decoded
    for index in windows.indices { windows[index] += later.windows[index] }
    for (key, range) in later.revenue.sorted(by: { $0.key < $1.key }) {
      guard revenue[key] != nil || revenue.count < Self.mostRevenues else {
        isBounded = true
        continue
      }
      revenue[key, default: .init(app: key.app, currency: key.currency)] += range
    }
    for (day, installs) in later.installs.sorted(by: { $0.key < $1.key }) {
      if self.installs[day] == nil, self.installs.count >= Self.mostDays {
        otherInstalls += installs.estimated
      } else {
        self.installs[day, default: .init(day: day)] += installs
      }
    }
    otherInstalls += later.otherInstalls
    unreadable += later.unreadable
    isBounded = isBounded || later.isBounded
    let groups = [codes, hours, networks, networkCodes, forwarders, forwarderCodes, conflicts]
    if groups.contains(where: { $0.rest.count > 0 }) { isBounded = true }
  }
}

extension Report.Window {
  static func += (left: inout Self, right: Self) {
    left.fine += right.fine
    left.coarse += right.coarse
    left.none += right.none
  }
}

extension Report.RevenueRange {
  static func += (left: inout Self, right: Self) {
    left.postbacks += right.postbacks
    left.estimate += right.estimate
    left.minimum += right.minimum
    left.maximum += right.maximum
    left.openEnded += right.openEnded
  }
}

extension Report.InstallDay {
  static func += (left: inout Self, right: Self) {
    left.estimated += right.estimated
    left.certain += right.certain
    left.possible += right.possible
  }
}
