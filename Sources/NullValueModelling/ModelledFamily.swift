internal import ConversionModel
internal import Statistics

/// The strata of all apps with the same model in a window and a period, with their values on one axis.
struct ModelledFamily {
  /// An end of the range of revenue that a value can mean, or the estimate in it.
  enum End: CaseIterable {
    case least, expected, most
  }

  /// The values in order, without their tiers.
  let axis: [ReportedValue]
  /// The distribution of revenue above the beginning of an open value; nil if there is none, or if nothing tells it.
  let tail: OpenTail?
  private let places: [ReportedValue: Int]
  private let coarse: CoarseWorths
  private let learnt: [ReportedValue: LearntWorth]
  private var wider: [NullStratum] = []

  /// Makes the family of a unit, with the units of all apps that have the same model.
  init(of unit: ModelledUnit, _ apps: [ModelledUnit]) {
    learnt = unit.learnt
    let parts = apps.flatMap(\.parts)
    let axis = Set(parts.flatMap { $0.basis.keys.map(\.untiered) }).sorted()
    let places = Dictionary(uniqueKeysWithValues: axis.enumerated().map { ($1, $0) })
    let classes = apps.map(\.classes).reduce(into: [:]) { $0.merge($1) { one, _ in one } }
    coarse = CoarseWorths(parts, classes, places)
    (self.axis, self.places) = (axis, places)
    var counts = [Double](repeating: 0, count: axis.count)
    for part in parts {
      for (value, count) in part.basis where coarse.worth(of: value.untiered, in: part.stratum) == nil {
        if let place = places[value.untiered] { counts[place] += Double(count) }
      }
    }
    tail = OpenTail(Array(zip(axis, counts)))
    if apps.count > 1 {
      wider = parts.filter { $0.refusal == nil }.sorted { $0.stratum < $1.stratum }.map(stratum)
    }
  }

  /// Returns the counts of a stratum along the axis, at whose end are the installs without a later postback. Coarse values
  /// whose worth is known count among the fine values that they stand for.
  func stratum(_ part: ModelledUnit.Part) -> NullStratum {
    var counts = [Double](repeating: 0, count: axis.count + 1)
    for (value, count) in part.basis.sorted(by: { $0.key < $1.key }) {
      let value = value.untiered
      if let worth = coarse.worth(of: value, in: part.stratum) {
        for (place, share) in worth.shares { counts[place] += Double(count) * share }
      } else {
        counts[places[value] ?? axis.count] += Double(count)
      }
    }
    counts[axis.count] += Double(part.silent)
    return NullStratum(counts: counts, nulls: part.nulls)
  }

  /// Returns the pool for an amount of each value; that of nil is the amount without a later postback.
  func pool(of strata: [NullStratum], _ amount: (ReportedValue?) -> Double) -> ModelledPool {
    ModelledPool(strata, wider: wider, amounts: axis.map(amount) + [amount(nil)])
  }

  /// Returns the amounts along the axis; infinite for an open value whose tail is not known.
  func amounts(_ end: End) -> [Double] { axis.map { amount($0, end) } + [0] }

  /// Returns the amount of a value at an end.
  func amount(_ value: ReportedValue, _ end: End) -> Double {
    guard let estimate = value.estimate else { return 0 }
    if let worth = learnt[value] { return worth.expected.mean }
    switch end {
    case .least: return (value.minimum ?? .zero).approximation
    case .expected: return estimate.approximation
    case .most:
      if let maximum = value.maximum { return maximum.approximation }
      return max(tail?.mean(above: (value.minimum ?? .zero).approximation) ?? .infinity, estimate.approximation)
    }
  }

  /// The places of values without an upper limit whose worth no users tell.
  var openPlaces: [Int] {
    axis.indices.filter { axis[$0].estimate != nil && axis[$0].maximum == nil && learnt[axis[$0]] == nil }
  }

  /// Returns the worth of the values of a stratum that other data tell: of fine values from users, and of coarse ones from
  /// fine ones.
  func worths(of part: ModelledUnit.Part) -> [ReportedValue: LearntWorth] {
    var worths = learnt
    for value in Set(part.observed.map(\.value.untiered)) where value.coarse != nil {
      guard let mix = coarse.worth(of: value, in: part.stratum) else { continue }
      func amounts(_ end: End) -> LearntWorth.Amounts {
        var (mean, square) = (0.0, 0.0)
        for (place, share) in mix.shares {
          let amount = amount(axis[place], end)
          mean += share * amount
          square += share * (amount * amount + (learnt[axis[place]]?.expected.variance ?? 0))
        }
        return .init(mean: mean, variance: max(0, square - mean * mean))
      }
      let open = Set(openPlaces)
      worths[value] = LearntWorth(
        basis: mix.basis,
        count: mix.count,
        openShare: mix.shares.reduce(0) { open.contains($1.place) ? $0 + $1.share : $0 },
        least: amounts(.least),
        expected: amounts(.expected),
        most: amounts(.most)
      )
    }
    return worths
  }

  /// Returns the drift of nulls between the install days of strata: of the first window by fine values, and of a later one by
  /// installs with a first value.
  func dayDrift(_ parts: [ModelledUnit.Part], window: Int) -> DayDrift {
    var (count, sum, squares) = (window > 0 ? Double(parts.reduce(0) { $0 + $1.values }) : 0, 0.0, 0.0)
    for part in parts {
      for (value, number) in part.observed where window > 0 || value.coarse == nil {
        let (number, amount) = (Double(number), (value.estimate ?? .zero).approximation)
        if window == 0 { count += number }
        sum += number * amount
        squares += number * amount * amount
      }
    }
    return DayDrift(parts.map(\.days), variance: count > 0 ? max(0, squares - sum * sum / count) / count : 0)
  }

  /// Returns the drift between the tiers of the values of strata, whose values are worth the means of their predictions.
  func tierDrift(_ strata: [(part: ModelledUnit.Part, mean: Double)]) -> TierDrift {
    var tiers: [Int: TierDrift.Tier] = [:]
    for (part, mean) in strata {
      let worths = worths(of: part)
      for (value, count) in part.basis.sorted(by: { $0.key < $1.key }) {
        let amount = worths[value.untiered]?.expected.mean ?? amount(value, .expected)
        tiers[value.tier, default: .init()].add(Double(count), worth: amount, mean: mean)
      }
    }
    return TierDrift(tiers)
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

/// The worth of a value that other data tell.
struct LearntWorth: Sendable {
  /// The mean and the variance of the revenue of a user.
  struct Amounts: Sendable {
    let mean: Double
    let variance: Double
  }

  /// The origin of the worth of a coarse value; nil for a fine one, which users tell.
  let basis: CoarseBasis?
  /// The number of fine values or users that it was learnt from.
  let count: Double
  /// The share of users with a value without an upper limit.
  var openShare = 0.0
  /// The amounts if each value is worth the least, the estimate, and the most.
  let least, expected, most: Amounts

  subscript(end: ModelledFamily.End) -> Amounts {
    switch end {
    case .least: least
    case .expected: expected
    case .most: most
    }
  }
}
