internal import CBoostMath
package import ConversionModel
internal import Glibc
internal import LookupTables
internal import Statistics

/// The revenue that a forwarder's values mean beyond the devices' own copies of the same postbacks, in one currency.
///
/// The hypothesis is that the gain of a postback is on average at most a tolerated share of the devices' revenue, or what
/// other forwarders gain: as a share of the devices' revenue, or for a postback, whichever is more, because errors need not
/// depend on what an audience spends. Where others do not show what is usual, `RandomErrors` are tolerated. Losses are taken off the
/// gains of the forwarder, and not off those of the others. Gains are bounded by the largest amount that a value means, so
/// Bentkus's inequality (Annals of Probability 32, 2004) bounds the chance of their sum by the binomial distribution: for
/// independent gains from 0 to 1 with mean p, P(sum ≥ x) ≤ e · P(Bin(n, p) ≥ x).
struct RevenueComparison: Sendable {
  let forwarder, currency: String
  /// The largest amount that a value means.
  let largest: Amount
  /// The postbacks with a gain among those compared.
  private(set) var rate = Rate()
  /// The sum of the gains, the same less what other differences lose, and the revenue that the devices' values mean.
  private(set) var gain = Amount.zero
  private(set) var net = Amount.zero
  private(set) var ofDevices = Amount.zero
  /// The squares of the gains, whose sum has the same last digit in whatever order they came.
  private var squares: [Double] = []
  /// The number of postbacks that could not be compared, because it is not known what a value means or what the device sent.
  var unpriced = 0
  /// The errors that are tolerated if others do not show what is usual.
  var errors = RandomErrors()

  /// The share of the devices' revenue that honest noise may add.
  private static let tolerance = 0.01
  /// The number of standard errors by which the others' share may be larger than it appears.
  private static let margin = 2.0
  private static let leastRecords = 30
  /// The chance below which others have too few gains for as many errors as are tolerated.
  private static let leastChance = 0.05

  init(forwarder: String, currency: String, largest: Amount) {
    (self.forwarder, self.currency, self.largest) = (forwarder, currency, largest)
  }

  /// Adds postbacks whose device's value means one amount, and whose forwarder's another. A difference that no test is about
  /// changes no money.
  mutating func add(from: Amount, to: Amount, isDifference: Bool, isGain: Bool, _ count: Int) {
    rate.total += count
    ofDevices += from * count
    if isDifference, isGain || to < from { net += (to - from) * count }
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
    net += other.net
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
        gain: own.net,
        ofDevices: own.ofDevices,
        share: ownShare,
        shareOfOthers: others.rate.total > 0 ? otherShare : nil,
        isFarAboveOthers: own.net > .zero && ownShare >= 1.5 * otherShare && own.gainOfOne >= 1.5 * others.gainOfOne
      )
      test.leftOut = own.unpriced
      return test
    }
  }

  /// The net gain as a share of the devices' revenue; of the largest amount, if that is more.
  private var share: Double { net.approximation / max(ofDevices.approximation, largest.approximation) }

  /// The mean net gain of a postback.
  private var gainOfOne: Double { rate.total > 0 ? net.approximation / Double(rate.total) : 0 }

  private func pValue(against others: Self) -> Double {
    let unit = largest.approximation
    let noise = others.gain.approximation + Self.margin * others.squares.sorted().reduce(0, +).squareRoot()
    let (count, otherCount) = (Double(rate.total), Double(others.rate.total))
    let share = otherCount > 0 ? noise / max(others.ofDevices.approximation, unit) : 0
    // A value more is counted, so that few postbacks without revenue are no certainty.
    let own = max(Self.tolerance, share) * (ofDevices.approximation + unit) / count
    let evidence = bound(max(own, otherCount > 0 ? noise / otherCount : 0) / unit)
    guard others.mayHaveErrors else { return evidence }
    // Errors are no reason for as large a sum, or not for its most frequent change.
    let tolerated = bound(errors.meanGain(of: rate.total) / unit)
    return max(evidence, min(1, 2 * min(tolerated, errors.pValueOfChanges)))
  }

  /// Tells if as many errors as are tolerated may be usual, by the number of gains.
  private var mayHaveErrors: Bool {
    guard rate.count < rate.total else { return true }
    let more = cboostmath_binomial_tail(UInt64(rate.count + 1), UInt64(rate.total), RandomErrors.tolerance)
    return 1 - more >= Self.leastChance
  }

  /// The bound for the chance of the net sum, if the mean gain of a postback is a share of the largest amount.
  private func bound(_ mean: Double) -> Double {
    guard mean < 1, net > Amount.zero else { return 1 }
    let sum = net.approximation / largest.approximation
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
  /// The exact sum of the gains less the losses.
  package let gain: Amount
  /// The revenue that the devices' values mean in the postbacks compared.
  package let ofDevices: Amount
  /// The gain as a share of that; nil of the others if there are none.
  package let share: Double
  package let shareOfOthers: Double?
  /// Indicates that there is a gain, which is at least half as large again as that of the others, as a share and for a postback.
  let isFarAboveOthers: Bool
}
