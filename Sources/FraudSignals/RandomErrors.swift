internal import CBoostMath
internal import ConversionModel
internal import LookupTables
internal import Statistics

/// The money that random errors of an honest forwarder may add, where no others show what is usual.
///
/// An error is tolerated in 4 % of the postbacks. It puts a value of the same kind, app, versions and window in the place of the device's:
/// any of the model's alike, or one as frequent as among the devices' values.
struct RandomErrors: Sendable {
  /// A change of a value.
  private struct Change: Hashable {
    let from, to: MeantValue
  }

  /// The largest share of changed postbacks of a forwarder that is honest.
  static let tolerance = 0.04

  /// The postbacks by the device's value, and the changes that add money.
  private var devices: [ValueChanges.Place: [MeantValue: Int]] = [:]
  private var gains: [Change: Int] = [:]
  /// The sum that the errors add on average, and the expected number of each change that adds money.
  private var mean = 0.0
  private var expected: [Change: Double] = [:]

  /// Adds postbacks with a value of the device and one of the forwarder.
  mutating func add(from: MeantValue, to: MeantValue, in place: ValueChanges.Place, isGain: Bool, _ count: Int) {
    devices[place, default: [:]][from, default: 0] += count
    if isGain { gains[Change(from: from, to: to), default: 0] += count }
  }

  /// Expects the errors, once all postbacks are added. `amounts` are those of all values that mean revenue in a place.
  mutating func expect(_ amounts: (ValueChanges.Place) -> [MeantValue: Amount]) {
    // Means are no exact sums: they are added up in the same order.
    for (place, counts) in devices.sorted(by: { $0.key.order.lexicographicallyPrecedes($1.key.order) }) {
      let known = amounts(place).sorted { $0.key < $1.key }
      let hasFine = known.contains { $0.key.kind == 2 }
      for (from, count) in counts.sorted(by: { $0.key < $1.key }) {
        let kind: UInt8 = from.kind > 0 ? from.kind : hasFine ? 2 : 1
        let others = known.filter { $0.key.kind == kind && $0.key != from }
        let total = Double(counts.reduce(0) { $0 + ($1.key.kind == kind ? $1.value : 0) })
        let before = known.first { $0.key == from }?.value ?? .zero
        var (any, drawn) = (0.0, 0.0)
        for (to, amount) in others where amount > before {
          let share = 1 / Double(others.count)
          let drawnShare = total > 0 ? Double(counts[to] ?? 0) / total : 0
          let gain = (amount - before).approximation
          any += gain * share
          drawn += gain * drawnShare
          expected[Change(from: from, to: to), default: 0] += Self.tolerance * Double(count) * max(share, drawnShare)
        }
        mean += Self.tolerance * Double(count) * max(any, drawn)
      }
    }
  }

  /// The tolerated mean gain of one of as many postbacks.
  func meanGain(of count: Int) -> Double { mean / Double(max(count, 1)) }

  /// The p-value of the change that is least likely by errors, corrected for the number of changes that add money: somebody who
  /// raises values makes the same change again and again, and errors do not.
  var pValueOfChanges: Double {
    var totals: [MeantValue: Int] = [:]
    for counts in devices.values { totals.merge(counts, uniquingKeysWith: +) }
    let least = gains.compactMap { change, count -> Double? in
      guard let total = totals[change.from], let mean = expected[change], mean < Double(total) else { return nil }
      return cboostmath_binomial_tail(UInt64(count), UInt64(total), mean / Double(total))
    }
    return min(1, (least.min() ?? 1) * Double(max(expected.count, 1)))
  }
}

extension ConversionModel {
  /// The revenue of all values in a window.
  func amounts(window: Int) -> [MeantValue: Amount] {
    let fine = (0...63).map { MeantValue(kind: 2, value: $0) }
    let coarse = CoarseValue.allCases.indices.map { MeantValue(kind: 1, value: Int8($0)) }
    let amounts = (fine + coarse).compactMap { value in
      meaning(window: window, fine: value.fine, coarse: value.coarse)?.revenue.map { (value, $0.estimate) }
    }
    return Dictionary(uniqueKeysWithValues: amounts)
  }
}
