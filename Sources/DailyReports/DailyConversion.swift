/// The conversion of revenue to the currency of a report, by the rates of the install date.
///
/// The amounts of each postback are converted and rounded, and then added up. So sums over a dimension remain exact.
struct DailyConversion {
  private struct Key: Hashable {
    let outcome: UInt32
    let day: Int64?
  }

  private let currency: ReportCurrency?
  private var converted: [Key: DailyOutcome] = [:]

  /// The conversion to a currency; without one, revenue stays as it is.
  init(to currency: ReportCurrency?) { self.currency = currency }

  /// The outcome of an entry with its revenue in the currency of the report. It stays in its own if there is no rate for
  /// the install date, or if the date is not known.
  mutating func outcome(_ entry: DailyCells.Entry, of outcomes: [DailyOutcome]) -> DailyOutcome {
    let outcome = outcomes[Int(entry.outcome)]
    guard let currency, let original = outcome.currency, original != currency.code else { return outcome }
    let key = Key(outcome: entry.outcome, day: entry.installDay)
    if let known = converted[key] { return known }
    let result = Self.convert(outcome, from: original, to: currency, day: entry.installDay)
    converted[key] = result
    return result
  }

  private static func convert(
    _ outcome: DailyOutcome,
    from original: String,
    to currency: ReportCurrency,
    day: Int64?
  ) -> DailyOutcome {
    var outcome = outcome
    guard let revenue = try? outcome.revenue.converted(to: currency, from: original, day: day) else {
      outcome.isUnconverted = true
      return outcome
    }
    outcome.revenue = revenue
    outcome.currency = currency.code
    for place in outcome.events.indices where outcome.events[place].currency == original {
      guard let revenue = try? outcome.events[place].revenue.converted(to: currency, from: original, day: day) else {
        continue
      }
      outcome.events[place].revenue = revenue
      outcome.events[place].currency = currency.code
    }
    return outcome
  }
}

extension ReportCurrency {
  /// The problem of converting revenue of an install day, as complete sentences; nil if there is none.
  func problem(_ revenue: DailyRevenue, from original: String, day: Int64?) -> String? {
    guard original != code else { return nil }
    do throws(Problem) {
      _ = try revenue.converted(to: self, from: original, day: day)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension DailyRevenue {
  /// The revenue with each amount in another currency, by the rates of a day.
  fileprivate func converted(
    to currency: ReportCurrency,
    from original: String,
    day: Int64?
  ) throws(ReportCurrency.Problem) -> DailyRevenue {
    var revenue = self
    revenue.estimate = try currency.convert(estimate, from: original, day: day)
    revenue.confirmed = try currency.convert(confirmed, from: original, day: day)
    revenue.minimum = try currency.convert(minimum, from: original, day: day)
    revenue.closedMaximum = try currency.convert(closedMaximum, from: original, day: day)
    for (kind, amount) in byKind { revenue.byKind[kind] = try currency.convert(amount, from: original, day: day) }
    return revenue
  }
}
