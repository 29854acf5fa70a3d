internal import Statistics

/// A test of what a vendor says of one network and app beside what Apple signed. It is a difference and accuses nobody: it says
/// that the two sources differ, and neither which of them is wrong nor why.
package struct VendorTest: Sendable {
  /// The properties that are compared.
  package enum Name: String, CaseIterable, Sendable {
    /// The vendor counts more postbacks than Apple signed.
    case morePostbacks = "more_postbacks"
    /// The vendor counts fewer postbacks than Apple signed.
    case fewerPostbacks = "fewer_postbacks"
    /// The vendor has another value than the accepted postback of the same transaction.
    case otherValues = "other_values"

    /// The share that is no reason to say anything: postbacks that one of both misses, and values that senders change without
    /// meaning to.
    package var tolerance: Double {
      switch self {
      case .morePostbacks, .fewerPostbacks: 0.05
      case .otherValues: 0.04
      }
    }
  }

  package let name: Name
  package let vendor: String
  /// The app and the network; nil if the vendor's rows do not name them.
  package let app: Int64?
  package let network: String?
  /// The first and the last day that are compared, since 1970-01-01.
  package let days: ClosedRange<Int64>
  /// The number of those days with postbacks of either side.
  package let dayCount: Int
  /// The counts of these days.
  package let sums: VendorSums
  package let pValue: Double
  /// The p-value, corrected for all tests of vendors (Holm).
  package internal(set) var correctedPValue = 1.0

  /// Indicates that the difference is larger than what is tolerated, beyond chance.
  package var isSignificant: Bool { correctedPValue < 0.05 }

  private static let leastPostbacks: Int64 = 100
  private static let leastCompared: Int64 = 30

  /// All tests of the exports, corrected for their number, those with the least p-value first. `received` are the days of the first
  /// and the last accepted postback.
  static func all(_ exports: [VendorExport], received: ClosedRange<Int64>?) -> [VendorTest] {
    guard let received else { return [] }
    var tests = exports.flatMap { Self.tests($0, received) }
    let corrected = holmCorrected(tests.map(\.pValue))
    for place in tests.indices { tests[place].correctedPValue = corrected[place] }
    return tests.enumerated().sorted { ($0.element.pValue, $0.offset) < ($1.element.pValue, $1.offset) }.map(\.element)
  }

  private static func tests(_ export: VendorExport, _ received: ClosedRange<Int64>) -> [VendorTest] {
    guard export.columns.contains(.date) else { return [] }
    // Without the window nobody knows if the vendor counts later postbacks of the same users, too.
    let isOfCounts = export.columns.contains(.window) || !export.hasLaterWindows
    var days: [VendorKey: [Int64: VendorSums]] = [:]
    for (key, sums) in zip(export.keys, export.sums) {
      guard let day = key.day, export.innerDays(of: key.app)?.contains(day) == true, received.lowerBound < day,
        day < received.upperBound
      else { continue }
      days[VendorKey(app: key.app, network: key.network), default: [:]][day, default: VendorSums()] += sums
    }
    let parties = days.sorted { $0.key < $1.key }
      .map { VendorDays(export.vendor, app: $0.key.app, network: $0.key.network, $0.value) }
    let apps = Dictionary(grouping: parties, by: \.app).filter { $0.value.count > 1 }.sorted {
      ($0.key ?? .max) < ($1.key ?? .max)
    }
    // Who changes values does so for all networks, and who counts others may do so for one.
    let all = apps.map { app, parties in VendorDays(parties, app: app) }
    return (isOfCounts ? parties.compactMap { $0.counts() } : []) + (parties + all).compactMap { $0.values() }
  }

  /// Counts of whole days of one app, and of one network or all.
  private struct VendorDays {
    let vendor: String
    let app: Int64?
    let network: String?
    private let days: [Int64: VendorSums]

    init(_ vendor: String, app: Int64?, network: String?, _ days: [Int64: VendorSums]) {
      (self.vendor, self.app, self.network, self.days) = (vendor, app, network, days)
    }

    init(_ parties: [VendorDays], app: Int64?) {
      let days = parties.reduce(into: [:]) { days, party in
        days.merge(party.days) { one, other in
          var both = one
          both += other
          return both
        }
      }
      self.init(parties.first?.vendor ?? "", app: app, network: nil, days)
    }

    private var sums: [VendorSums] { days.sorted { $0.key < $1.key }.map(\.value) }
    private var total: VendorSums { sums.reduce(into: VendorSums()) { $0 += $1 } }

    private func test(_ name: Name, _ total: VendorSums, _ pValue: Double?) -> VendorTest? {
      guard let pValue, let first = days.keys.min(), let last = days.keys.max() else { return nil }
      return VendorTest(
        name: name,
        vendor: vendor,
        app: app,
        network: network,
        days: first...last,
        dayCount: days.count,
        sums: total,
        pValue: pValue
      )
    }

    /// The test of the numbers of postbacks; nil if there are too few.
    func counts() -> VendorTest? {
      let total = total
      guard total.verified >= leastPostbacks else { return nil }
      let sign: Int64 = total.imported > total.verified ? 1 : -1
      let name = sign > 0 ? Name.morePostbacks : .fewerPostbacks
      let days = sums.map { SteadyExcess.Day(Double(sign * $0.imported), of: Double($0.verified)) }
      let excess = SteadyExcess(days, above: Double(sign) + name.tolerance)
      // The larger side was seen before, so that the test has two sides.
      return test(name, total, excess.map { min(2 * $0.pValue, 1) })
    }

    /// The test of the values of matched rows; nil if there are too few.
    func values() -> VendorTest? {
      let (name, total) = (Name.otherValues, total)
      let values = total.values
      guard values.compared >= leastCompared else { return nil }
      let days = sums.map { SteadyExcess.Day(Double($0.values.others), of: Double($0.values.compared)) }
      let whole = Binomial.tail(Int(values.others), of: Int(values.compared), probability: name.tolerance)
      return test(name, total, SteadyExcess(days, above: name.tolerance).map { max($0.pValue, whole) })
    }
  }
}
