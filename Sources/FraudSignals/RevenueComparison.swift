internal import CBoostMath
package import ConversionModel
internal import Glibc
internal import LookupTables
internal import Statistics

/// The revenue that a forwarder's values mean beyond the devices' own copies of the same postbacks, in one currency.
///
/// The hypothesis is that the gain of a postback is on average at most a tolerated share of the devices' revenue, or what
/// other forwarders gain: as a share of the devices' revenue, or for a postback, whichever is more, because errors need not
/// depend on what an audience spends. Gains are bounded by the largest amount that a value means, so
/// Bentkus's inequality (Annals of Probability 32, 2004) bounds the chance of their sum by the binomial distribution: for
/// independent gains from 0 to 1 with mean p, P(sum ≥ x) ≤ e · P(Bin(n, p) ≥ x).
struct RevenueComparison: Sendable {
  let forwarder, currency: String
  /// The largest amount that a value means.
  let largest: Amount
  /// The postbacks with a gain among those compared.
  private(set) var rate = Rate()
  /// The sum of the gains, and the revenue that the devices' values mean.
  private(set) var gain = Amount.zero
  private(set) var ofDevices = Amount.zero
  /// The squares of the gains, whose sum has the same last digit in whatever order they came.
  private var squares: [Double] = []
  /// The number of postbacks that could not be compared, because it is not known what a value means or what the device sent.
  var unpriced = 0

  /// The share of the devices' revenue that honest noise may add.
  private static let tolerance = 0.01
  /// The number of standard errors by which the others' share may be larger than it appears.
  private static let margin = 2.0
  private static let leastRecords = 30

  init(forwarder: String, currency: String, largest: Amount) {
    (self.forwarder, self.currency, self.largest) = (forwarder, currency, largest)
  }

  /// Adds postbacks whose device's value means one amount, and whose forwarder's another.
  mutating func add(from: Amount, to: Amount, isGain: Bool, _ count: Int) {
    rate.total += count
    ofDevices += from * count
    guard isGain, to > from else { return }
    rate.count += count
    gain += (to - from) * count
    let size = (to - from).approximation
    squares.append(Double(count) * size * size)
  }

  /// Adds the postbacks of another forwarder.
  private mutating func add(_ other: Self) {
    rate += other.rate
    gain += other.gain
    ofDevices += other.ofDevices
    squares += other.squares
  }

  /// The tests of all forwarders, each against all others in the same currency.
  static func tests(_ all: [Self]) -> [SignalTest] {
    all.compactMap { own -> SignalTest? in
      guard own.rate.total >= leastRecords, own.largest > .zero else { return nil }
      var others = Self(forwarder: "", currency: own.currency, largest: own.largest)
      for other in all where other.currency == own.currency && other.forwarder != own.forwarder { others.add(other) }
      let (ownShare, otherShare) = (own.share, others.rate.total > 0 ? others.share : 0)
      var test = SignalTest(
        name: .raisedRevenue,
        basis: .copies,
        method: .revenue,
        party: SignalParty(kind: .forwarder, name: own.forwarder),
        value: own.currency,
        own: own.rate,
        others: others.rate,
        effect: ownShare - otherShare,
        pValue: own.pValue(against: others)
      )
      test.revenue = SignalRevenue(
        currency: own.currency,
        gain: own.gain,
        ofDevices: own.ofDevices,
        share: ownShare,
        shareOfOthers: others.rate.total > 0 ? otherShare : nil,
        isFarAboveOthers: ownShare >= 1.5 * otherShare && own.gainOfOne >= 1.5 * others.gainOfOne
      )
      test.leftOut = own.unpriced
      return test
    }
  }

  /// The gain as a share of the devices' revenue; of the largest amount, if that is more.
  private var share: Double { gain.approximation / max(ofDevices.approximation, largest.approximation) }

  /// The mean gain of a postback.
  private var gainOfOne: Double { rate.total > 0 ? gain.approximation / Double(rate.total) : 0 }

  private func pValue(against others: Self) -> Double {
    let unit = largest.approximation
    let noise = others.gain.approximation + Self.margin * others.squares.sorted().reduce(0, +).squareRoot()
    let (count, otherCount) = (Double(rate.total), Double(others.rate.total))
    let share = otherCount > 0 ? noise / max(others.ofDevices.approximation, unit) : 0
    // A value more is counted, so that few postbacks without revenue are no certainty.
    let own = max(Self.tolerance, share) * (ofDevices.approximation + unit) / count
    let mean = max(own, otherCount > 0 ? noise / otherCount : 0) / unit
    guard mean < 1 else { return 1 }
    let sum = gain.approximation / unit
    let (whole, part) = (sum.rounded(.down), sum - sum.rounded(.down))
    func tail(_ successes: Double) -> Double {
      guard successes <= Double(rate.total) else { return 0 }
      return cboostmath_binomial_tail(UInt64(successes), UInt64(rate.total), mean)
    }
    // Between whole numbers the bound is log-linear.
    let bound = exp(1) * pow(tail(whole), 1 - part) * (part > 0 ? pow(tail(whole + 1), part) : 1)
    return min(max(bound, 0), 1)
  }
}

/// The revenue that a forwarder's values mean beyond the devices', as a test has it.
package struct SignalRevenue: Sendable {
  package let currency: String
  /// The exact sum of the gains.
  package let gain: Amount
  /// The revenue that the devices' values mean in the postbacks compared.
  package let ofDevices: Amount
  /// The gain as a share of that; nil of the others if there are none.
  package let share: Double
  package let shareOfOthers: Double?
  /// Indicates that the gain is at least half as large again as that of the others, as a share and for a postback.
  let isFarAboveOthers: Bool
}
