package import ConversionModel

/// The revenue of all conversion windows of the installs of a day.
///
/// Which windows count is decided once for each install day, app, model and conversion type, over all postbacks of the report.
/// So the revenue is additive: that of several groups together is its sum, whatever the groups are.
package struct AllWindowsRevenue: Sendable, Equatable {
  /// The windows that are in a revenue.
  package enum Basis: String, CaseIterable, Sendable {
    /// That of window 0, because there is no other.
    case firstWindow = "window0"
    /// All whose values do not include the windows before, added up.
    case sum
    /// A window whose values include the windows before, with the windows after it.
    case cumulative
    /// Not the same for all models and conversion types of the group.
    case mixed
  }

  /// The revenue by currency.
  private var revenue: [String: Amount] = [:]
  /// The number of postbacks whose revenue could not be converted to the currency of the report.
  private var unconverted = 0
  /// The windows in the revenue; nil without a decoded postback.
  package private(set) var basis: Basis?

  /// The revenue and its currency; nil if there is none, or in several currencies, or not in that of the report.
  package var single: (currency: String, revenue: Amount)? {
    unconverted == 0 && revenue.count == 1 ? revenue.first.map { ($0.key, $0.value) } : nil
  }

  /// Adds that many postbacks with an outcome. `choice` has the windows that count for them.
  mutating func add(_ outcome: DailyOutcome, _ count: Int, _ choice: Choice) {
    guard outcome.hasWon, outcome.status == .decoded else { return }
    let own: Basis = choice.window != nil ? .cumulative : outcome.window == 0 ? .firstWindow : .sum
    basis = basis.map { $0.joined(with: own) } ?? own
    guard let currency = outcome.currency else { return }
    let isCounted = choice.counts(outcome)
    revenue[currency, default: .zero] += isCounted ? outcome.revenue.estimate * count : .zero
    if isCounted, outcome.isUnconverted { unconverted += count }
  }

  /// Adds the revenue of other postbacks.
  static func += (left: inout Self, right: Self) {
    left.revenue.merge(right.revenue, uniquingKeysWith: +)
    left.unconverted += right.unconverted
    if let other = right.basis { left.basis = left.basis.map { $0.joined(with: other) } ?? other }
  }
}

extension AllWindowsRevenue.Basis {
  /// The basis of two revenues together.
  fileprivate func joined(with other: Self) -> Self {
    switch (self, other) {
    case _ where self == other: self
    case (.firstWindow, .sum), (.sum, .firstWindow): .sum
    default: .mixed
    }
  }
}

extension AllWindowsRevenue {
  /// The windows of the conversions of a day that count for a model and a conversion type.
  struct Choice: Equatable, Sendable {
    /// The window whose values include those before; nil if the other windows are added.
    var window: Int?

    /// Indicates that the revenue of an outcome counts.
    func counts(_ outcome: DailyOutcome) -> Bool {
      guard let window else { return !outcome.isCumulative }
      return outcome.window > window ? !outcome.isCumulative : outcome.window == window && outcome.isCumulative
    }
  }

  /// The choices for all install days, models and conversion types of a report.
  struct Choices: Sendable {
    private struct Key: Hashable {
      let day: Int64?
      let app: Int64
      let modelID: String
      let modelVersion: Int
      let conversionType: DailyOutcome.Conversion?
      let currency: String

      /// The key of an outcome; nil if it has no revenue.
      init?(_ outcome: DailyOutcome, _ day: Int64?) {
        guard let currency = outcome.currency else { return nil }
        self.day = day
        (app, modelID, modelVersion) = (outcome.app, outcome.modelID, outcome.modelVersion)
        conversionType = outcome.conversionType
        self.currency = currency
      }
    }

    /// The revenue of the windows of a model and a conversion type, by window.
    private struct Windows {
      var separate: [Amount] = [.zero, .zero, .zero]
      var cumulative: [Amount?] = [nil, nil, nil]

      /// The larger one of the sum of the windows and that of a window that includes those before.
      var choice: Choice {
        var best = (choice: Choice(), revenue: separate.reduce(.zero, +))
        for (window, revenue) in cumulative.enumerated() {
          guard let revenue else { continue }
          let whole = separate.dropFirst(window + 1).reduce(revenue, +)
          if whole >= best.revenue { best = (Choice(window: window), whole) }
        }
        return best.choice
      }
    }

    private var choices: [Key: Choice] = [:]

    /// Decides for the counts of a report.
    init(_ cells: DailyCells) {
      var windows: [Key: Windows] = [:]
      for (cell, count) in cells.counts {
        let outcome = cells.outcomes[Int(cell.outcome)]
        guard outcome.hasWon, outcome.status == .decoded, let key = Key(outcome, cell.installDay) else { continue }
        let revenue = outcome.revenue.estimate * count
        if outcome.isCumulative {
          let others = windows[key, default: Windows()].cumulative[outcome.window] ?? .zero
          windows[key, default: Windows()].cumulative[outcome.window] = others + revenue
        } else {
          windows[key, default: Windows()].separate[outcome.window] += revenue
        }
      }
      choices = windows.mapValues(\.choice)
    }

    /// Returns the windows that count for an outcome of an install day, as it was before its conversion to another currency.
    subscript(outcome: DailyOutcome, day: Int64?) -> Choice {
      Key(outcome, day).flatMap { choices[$0] } ?? Choice()
    }
  }
}
