internal import ConversionModel
internal import Statistics

/// The strata of an app in a window and a period, which are modelled together.
struct ModelledUnit {
  /// The postbacks of one stratum.
  struct Part {
    let stratum: Stratum
    /// The number of installs: in later windows those whose first postback is there.
    var conversions = 0
    /// The number of installs with a value, of which the distribution of values is known.
    var values = 0
    /// The number of installs without a value.
    var nulls = 0
    /// The number of installs with a 0 that may stand for no value.
    var zeros = 0
    /// The values that were reported, in order, with their numbers of postbacks.
    var observed: [(value: ReportedValue, count: Int)] = []
    /// The values that the model is made of: those reported, or in a later window those of more weeks; none without a model.
    var basis: [ReportedValue: Int] = [:]
    /// The values and nulls by install day: fine values of the first window, or installs with a first value and their revenue of a
    /// later one.
    var days: [Int64: DayDrift.Day] = [:]
    /// The number of installs with a first value and without a postback of the later window.
    var silent = 0
    /// The reason why the stratum is not modelled.
    var refusal: NullModel.Refusal?

    init(_ stratum: Stratum) { self.stratum = stratum }

    /// The postbacks whose revenue is estimated.
    var postbacks: StratumPostbacks {
      let values = Dictionary(observed.map { ($0.value, $0.count) }, uniquingKeysWith: +)
      return StratumPostbacks(nulls: nulls, zeros: zeros, values: values)
    }

    /// Returns the sum of an amount over the reported values; nil if a value has none.
    func sum(_ amount: (ReportedValue) -> Amount?) -> Amount? {
      var sum = Amount.zero
      for (value, count) in observed {
        guard let amount = amount(value) else { return nil }
        sum += amount * count
      }
      return sum
    }
  }

  /// The property that units share if they have the same model: its name, and the amounts of its values.
  struct Family: Hashable {
    let labels: Set<String>
    let currency: String?
    let model: ModelMeanings.Revenue?
  }

  let app: Int64
  let window: Int
  let period: Int64?
  /// The install dates: in a later window those of which it has ended, if there is one. Nil if they are not known.
  let dates: ClosedRange<Int64>?
  /// The share of the postbacks of a later window that are among those of these install dates by the error of their own, or are not
  /// among them for this reason: 0 where no install date before or after them is left out.
  let misdated: Double
  /// The parts, by stratum.
  private(set) var parts: [Part]
  /// The currency of all revenue; nil if there is none, or if there are several.
  let currency: String?
  /// The revenue of all values of the models; nil if a model is not known.
  let model: ModelMeanings.Revenue?
  /// The least and the greatest amounts that a postback without a value may be worth, nil for one without an upper limit.
  let minima: [Amount]
  let maxima: [Amount?]
  /// The coarse values of users with a fine value of the first window, as far as a model tells them.
  let classes: [ReportedValue: CoarseValue]
  /// The worth of fine values with a range, as far as users tell it.
  let learnt: [ReportedValue: LearntWorth]

  /// Makes a unit of the counts of an app. A stratum of a network among `ambiguous` is not modelled.
  init(
    app: Int64,
    window: Int,
    period: Int64?,
    _ strata: [Stratum],
    _ counts: StratumCounts,
    _ installs: LaterInstalls,
    _ meanings: ModelMeanings,
    ambiguous: Set<String>
  ) {
    (self.app, self.window, self.period) = (app, window, period)
    let days = counts.days(ofPeriod: period, app: app)
    let isOpen = window > 0 && !strata.contains { installs.ended($0, window: window, period) != nil }
    parts = strata.sorted().compactMap { stratum in
      window == 0
        ? Part(first: stratum, period, counts) : Part(later: stratum, window, period, counts, installs, isOpen: isOpen)
    }
    var dateRefusal: NullModel.Refusal?
    if let days, window > 0, !isOpen {
      let hasOpen = strata.contains { installs.notEnded($0, window: window, period) != nil }
      let later = LaterDates(days, window: window, counts, installs, hasOpen: hasOpen)
      (dates, misdated, dateRefusal) = (later.dates, later.misdated, later.take(&parts, window: window, installs))
    } else {
      (dates, misdated) = (days, 0)
    }
    let values = Set(parts.flatMap { $0.observed.map(\.value) })
    let currencies = Set(values.compactMap(\.currency))
    model = meanings.revenue(of: values, app: app, window: window)
    let all = currencies.isEmpty ? model?.currencies ?? [] : currencies
    currency = all.count == 1 ? all.first : nil
    // An install that sends no later postback is worth nothing in that window.
    let silent: [Amount] = window > 0 ? [.zero] : []
    minima = (model?.minima ?? [.zero]) + values.map { $0.minimum ?? .zero } + silent
    maxima = (model?.maxima ?? [nil]) + values.map { $0.estimate == nil ? .zero : $0.maximum } + silent
    classes = (window == 0 ? Set(values.map(\.untiered)) : []).reduce(into: [:]) { classes, value in
      classes[value] = meanings.coarse(of: value, app: app)
    }
    learnt = (window == 0 ? Set(values.map(\.untiered)) : []).reduce(into: [:]) { worths, value in
      worths[value] = meanings.worth(of: value, app: app)
    }
    let hasValues = parts.contains { $0.values > 0 || !$0.observed.isEmpty }
    let isCumulative = window > 0 && values.contains(where: \.isCumulative)
    for index in parts.indices {
      parts[index].refusal =
        if isOpen {
          .open
        } else if ambiguous.contains(parts[index].stratum.network) {
          .zeroMayBeNull
        } else if !hasValues {
          .noValues
        } else if currencies.count > 1 { .currencies } else if isCumulative { .cumulative } else {
          dateRefusal ?? parts[index].refusal
        }
    }
  }

  /// The models of the unit; nil if it has no value.
  var family: Family? {
    let labels = Set(parts.flatMap { $0.basis.keys.map { "\($0.modelID)@\($0.modelVersion)" } })
    return labels.isEmpty ? nil : Family(labels: labels, currency: currency, model: model)
  }
}

extension ModelledUnit.Part {
  /// Makes the part of a stratum in the first window; nil if it has no postback.
  fileprivate init?(first stratum: Stratum, _ period: Int64?, _ counts: StratumCounts) {
    guard let first = counts.cells[.init(stratum, window: 0, period: period)] else { return nil }
    self.init(stratum)
    conversions = first.conversions
    values = first.decoded
    nulls = first.nulls
    zeros = first.ambiguousZeros
    observed = first.sorted
    basis = first.values
    days = counts.installDays[.init(stratum, window: 0, period: period)] ?? [:]
  }

  /// Makes the part of a stratum in a later window, of the install dates of which it has ended, or of the open ones. Nil if
  /// the stratum has no postback of these in either window.
  ///
  /// An install without a value in its first postback sends no later one (Apple, "Receiving postbacks in multiple
  /// conversion windows"). So the installs with a value are those of which it is known if they sent a later one.
  fileprivate init?(
    later stratum: Stratum,
    _ window: Int,
    _ period: Int64?,
    _ counts: StratumCounts,
    _ installs: LaterInstalls,
    isOpen: Bool
  ) {
    let own = (isOpen ? installs.open : installs.ended)(stratum, window, period)
    guard var cohort = own else { return nil }
    self.init(stratum)
    conversions = cohort.conversions
    values = cohort.values
    nulls = cohort.nulls
    zeros = cohort.ambiguousZeros
    observed = cohort.later.sorted
    if isOpen { return }
    // Install dates are estimates. Over three weeks less of an error is left than over one.
    if cohort.later.decoded > values, counts.period == .week, let period {
      for week in [period - 1, period + 1] {
        cohort += installs.ended(stratum, window: window, week) ?? .init()
      }
    }
    if cohort.later.decoded > cohort.values + cohort.ambiguousZeros {
      refusal = .cohortMismatch
    } else {
      basis = cohort.later.values
      silent = max(0, cohort.values - cohort.later.decoded)
    }
  }
}

extension StratumCounts.Counts {
  /// The values in order, with their numbers of postbacks.
  fileprivate var sorted: [(value: ReportedValue, count: Int)] {
    values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
