internal import ConversionModel

/// The strata of all apps with the same model in a window and a period, with their values on one axis.
struct ModelledFamily {
  /// The values in order.
  let axis: [ReportedValue]
  private let places: [ReportedValue: Int]
  private var wider: [NullStratum] = []

  init(_ apps: [[ModelledUnit.Part]]) {
    axis = Set(apps.joined().flatMap(\.basis.keys)).sorted()
    places = Dictionary(uniqueKeysWithValues: axis.enumerated().map { ($1, $0) })
    if apps.count > 1 {
      wider = apps.joined().filter { $0.refusal == nil }.sorted { $0.stratum < $1.stratum }.map(stratum)
    }
  }

  /// Returns the counts of a stratum along the axis, at whose end are the installs without a later postback.
  func stratum(_ part: ModelledUnit.Part) -> NullStratum {
    var counts = [Int](repeating: 0, count: axis.count + 1)
    for (value, count) in part.basis { counts[places[value] ?? axis.count] += count }
    counts[axis.count] = part.silent
    return NullStratum(counts: counts, nulls: part.nulls)
  }

  /// Returns the pool for an amount of each value; that of nil is the amount without a later postback.
  func pool(of strata: [NullStratum], _ amount: (ReportedValue?) -> Double) -> ModelledPool {
    ModelledPool(strata, wider: wider, amounts: axis.map(amount) + [amount(nil)])
  }

  /// Returns the modelled revenue if each value is worth the least, and if it is worth the most; nil for the most if a
  /// value has no upper limit.
  func limits(_ part: ModelledUnit.Part, shares: [Double]) -> ModelledRow.Limits {
    func mean(_ amount: (ReportedValue) -> Amount?) -> Double? {
      var mean = 0.0
      for (value, share) in zip(axis, shares) where share > 0 {
        guard let amount = amount(value) else { return nil }
        mean += share * amount.approximation
      }
      return Double(part.nulls) * mean
    }
    func revenue(_ amount: (ReportedValue) -> Amount?) -> Amount? {
      part.sum(amount).flatMap { sum in mean(amount).flatMap { sum.adding(estimate: $0) } }
    }
    return .init(least: revenue { $0.minimum ?? .zero }, most: revenue { $0.estimate == nil ? .zero : $0.maximum })
  }
}
