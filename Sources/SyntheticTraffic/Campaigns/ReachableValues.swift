internal import ConversionModel

/// The values of a conversion window that users reach, with and without revenue.
struct ReachableValues: Sendable {
  private let window: ModelWindow
  /// Indicates that the values are fine values, and not the ranks of coarse ones.
  private let isFine: Bool
  /// The values without revenue.
  private let free: [Int]
  /// The values with revenue, from the least revenue on.
  private let paying: [Int]
  /// The ranges of revenue of the values of `paying`.
  private let ranges: [RevenueRange]

  /// The values of a window; nil if it lists none.
  init?(_ window: ModelWindow) {
    self.window = window
    let fine = window.postbackSequenceIndex == 0 ? window.fineValues : []
    let coarse = CoarseValue.allCases.filter { window.meaning(coarse: $0) != nil }.map(\.rank)
    isFine = !fine.isEmpty
    let values = isFine ? fine : coarse
    guard !values.isEmpty else { return nil }
    let revenues = values.map { (value: $0, revenue: Self.revenue(of: $0, isFine: !fine.isEmpty, window)) }
    free = revenues.filter { $0.revenue.estimate == .zero }.map(\.value)
    let sorted = revenues.filter { $0.revenue.estimate > .zero }
      .sorted { ($0.revenue.estimate, $0.value) < ($1.revenue.estimate, $1.value) }
    paying = sorted.map(\.value)
    ranges = sorted.map { RevenueRange($0.revenue) }
  }

  private static func revenue(of value: Int, isFine: Bool, _ window: ModelWindow) -> Revenue {
    let meaning =
      isFine ? window.meaning(fine: value) : CoarseValue(rank: value).flatMap { window.meaning(coarse: $0) }
    return meaning?.revenue ?? .zero
  }

  /// Draws the revenue of a user, and the value in which the app encodes it.
  ///
  /// If the campaign's `spending` does not say what payers spend, a payer reaches each higher value with the chance
  /// `continuation`, and spends an amount in the range of the value.
  func draw(
    isPayer: Bool,
    continuation: Double,
    spending: Spending,
    scale: Double,
    _ random: inout SeededGenerator
  ) -> TrueValue {
    let value: Int
    var revenue = Amount.zero
    if !paying.isEmpty, isPayer || free.isEmpty {
      var place = 0
      var amounts = SeededGenerator(.amount, beside: random)
      if let amount = spending.draw(scale: scale, &amounts) {
        // The highest value whose range the amount reaches.
        place = ranges.lastIndex { $0.least <= amount } ?? 0
        revenue = ranges[place].amount(of: amount)
      } else {
        while place + 1 < paying.count, random.fraction() < continuation { place += 1 }
        revenue = ranges[place].amount(of: ranges[place].draw(&amounts))
      }
      value = paying[place]
    } else {
      // Small values are frequent, because most people do little.
      value = free[random.below(random.below(free.count) + 1)]
    }
    guard isFine else { return TrueValue(fine: nil, coarse: CoarseValue(rank: value), revenue: revenue) }
    return TrueValue(fine: value, coarse: coarse(of: value, revenue), revenue: revenue)
  }

  /// Returns the coarse value that the app sets beside a fine one: the highest whose least revenue is reached, if the
  /// model does not say where coarse values begin.
  private func coarse(of fine: Int, _ revenue: Amount) -> CoarseValue? {
    if let starts = window.coarseStarts { return starts.coarse(of: fine) }
    return CoarseValue.allCases.last { coarse in
      window.meaning(coarse: coarse).map { ($0.revenue?.minimum ?? .zero) <= revenue } ?? false
    }
  }

  /// The fine value with the most revenue; nil if fine values mean none.
  var highestFine: Int? { isFine ? paying.last : nil }

  /// Tells if a value means no revenue.
  func isFree(_ value: SentValue) -> Bool {
    if let fine = value.fine { return isFine && free.contains(fine) }
    return value.coarse.map { coarse in (window.meaning(coarse: coarse)?.revenue ?? .zero).estimate == .zero } ?? false
  }

  /// Draws a fine value with more revenue than one; nil if there is none.
  func higherFine(than value: Int, _ random: inout SeededGenerator) -> Int? {
    guard isFine else { return nil }
    let higher = paying.firstIndex(of: value).map { paying[($0 + 1)...] } ?? paying[...]
    return higher.isEmpty ? nil : random.pick(Array(higher))
  }

  /// Draws a fine value other than one, of those that the window lists; nil if there is none.
  func otherFine(than value: Int, _ random: inout SeededGenerator) -> Int? {
    let others = window.fineValues.filter { $0 != value }
    return others.isEmpty ? nil : random.pick(others)
  }
}

/// The value of a user in a conversion window before Apple leaves anything out.
struct TrueValue: Sendable {
  /// The fine value; nil in windows 1 and 2.
  let fine: Int?
  /// The coarse value; nil if the model has none for the fine value.
  let coarse: CoarseValue?
  /// The revenue of the user.
  let revenue: Amount
}
