internal import ConversionModel
package import JSON
package import ModelFitting

/// The answer of `postback model fit`.
package struct FitAnswer {
  private let report: FitReport
  private let labels: FittedLabels

  /// Creates the answer about a fitted model.
  package init(_ report: FitReport, _ labels: FittedLabels) { (self.report, self.labels) = (report, labels) }

  // MARK: - Text

  /// The answer for people.
  package var text: String {
    let population = report.population
    let fine = report.windows.first?.fine.count ?? 0
    let windows = report.windows.count == 1 ? "window 0" : "windows 0 to \(report.windows.count - 1)"
    let head = [
      "\(labels.modelID)@\(labels.version) of app \(labels.appID): \(fine) fine values, coarse values of \(windows)",
      "\(population.rows) rows; \(population.installs(0)) installs, \(population.payers) with revenue in window 0",
    ]
    let sentences = report.assumptionSentences + report.leftOutSentences
    let cautions = report.cautionSentences.isEmpty ? [] : report.cautionSentences + [""]
    let tables =
      ["errors in \(population.currency)", "", errors, ""] + cautions + ["locks", "", locks, "", report.lockSentence]
    return (head + [""] + sentences + [""] + tables + dropped + replacement).joined(separator: "\n")
  }

  private var dropped: [String] {
    guard let present = report.present?.label, !report.droppedEvents.isEmpty else { return [] }
    return [
      "",
      "\(present) tells \(report.droppedEvents.joined(separator: ", ")), which this model does not. --keep-events keeps up to "
        + "three.",
    ]
  }

  /// The step that puts the model into force after the present one.
  private var replacement: [String] {
    guard let present = report.present, present.span.end == nil, let start = labels.effectiveFrom else { return [] }
    return [
      "", "To put the model into force, let \(present.label) end where it begins: \"effective_to\": \"\(start)\".",
    ]
  }

  private var errors: String {
    let windows = report.windows.indices.map { "window \($0)" }
    var table = TextTable(
      [
        "model", "error", "interval", "of revenue", "× fitted", "interval", "wrong order", "interval",
      ] + windows,
      numbersIn: Set(1...7 + windows.count)
    )
    for error in report.errors {
      table.add(
        [
          error.model.text, RoundedText.significant(error.total.value), error.total.intervalText,
          RoundedText.percent(error.share.value), RoundedText.fixed(error.ratio.value, places: 3),
          "\(RoundedText.fixed(error.ratio.low, places: 3)) to \(RoundedText.fixed(error.ratio.high, places: 3))",
          RoundedText.percent(error.rank.value), error.rank.percentIntervalText,
        ] + error.windows.map { RoundedText.significant($0.value) }
      )
    }
    return table.text(indent: 2)
  }

  private var locks: String {
    var table = TextTable(
      ["window", "chosen", "lock", "days earlier", "error", "added", "interval", "worth it from, a day"],
      numbersIn: [0, 3, 4, 5, 6, 7]
    )
    for (window, effects) in report.locks.enumerated() {
      for effect in effects {
        table.add(
          "\(window)",
          effect.condition == report.chosenLocks[window] ? "yes" : "",
          effect.condition.text(window),
          RoundedText.fixed(effect.daysEarlier, places: 3),
          RoundedText.significant(effect.error),
          RoundedText.significant(effect.added.value),
          effect.added.intervalText,
          effect.breakEven.map { RoundedText.significant($0) } ?? "-"
        )
      }
    }
    return table.text(indent: 2)
  }

  // MARK: - JSON

  /// The answer as `schemas/model_fit.schema.json` describes it.
  package var json: JSONValue {
    let (population, assumptions) = (report.population, report.assumptions)
    let left = population.leftOut
    return .object([
      .init("app_id", .integer(labels.appID)),
      .init("currency", .string(population.currency)),
      .init("rows", .integer(population.rows)),
      .init("users", .integer(population.users)),
      .init("installs", .array(report.windows.indices.map { .integer(population.installs($0)) })),
      .init("mean_revenue", .array(report.meanRevenue.map(Self.number))),
      .init(
        "left_out",
        .object([
          .init("bad_rows", .integer(left.badRows)),
          .init("other_app_rows", .integer(left.otherAppRows)),
          .init("other_currency_users", .integer(left.otherCurrencyUsers)),
          .init("earlier_users", .integer(left.earlierUsers)),
          .init("unfinished_users", .integer(left.unfinishedUsers)),
          .init("refunded_windows", .integer(left.refundedWindows)),
          .init("refunded_revenue", .number(Amount(millionths: left.refundedMillionths).description)),
        ])
      ),
      .init("objective", .string(report.objective.rawValue)),
      .init("power", Self.number(report.power)),
      .init(
        "assumptions",
        .object([
          .init("tiers", .array(assumptions.tiers.map(Self.number))),
          .init("campaign_installs", .integer(assumptions.campaignInstalls)),
          .init("folds", .integer(assumptions.folds)),
          .init("seed", .integer(assumptions.seed)),
          .init("day_worth", Self.number(assumptions.dayWorth)),
          .init("pairs", .integer(assumptions.pairs)),
        ])
      ),
      .init("present", .text(report.present?.label.description)),
      .init("dropped_events", .texts(report.droppedEvents)),
      .init("errors", .array(report.errors.map(Self.json))),
      .init(
        "locks",
        .array(report.locks.enumerated().flatMap { window, effects in effects.map { json($0, window) } })
      ),
      .init("model", report.json(labels)),
    ])
  }

  private static func json(_ error: ComparedErrors) -> JSONValue {
    .object([
      .init("model", .string(error.model.rawValue)),
      .init("error", json(error.total)),
      .init(
        "error_parts",
        .object([
          .init("chance", number(error.parts.chance.squareRoot())),
          .init("mean", number(error.parts.mean.squareRoot())),
          .init("learning", number(error.parts.learning.squareRoot())),
        ])
      ),
      .init("largest_user_share", number(error.largestUserShare)),
      .init("error_share", json(error.share)),
      .init("ratio_to_fitted", json(error.ratio)),
      .init("mean_user_error", number(error.meanError)),
      .init("wrong_order", json(error.rank)),
      .init("window_errors", .array(error.windows.map(json))),
    ])
  }

  private func json(_ effect: LockEffect, _ window: Int) -> JSONValue {
    .object([
      .init("window", .integer(window)),
      .init("lock_window", effect.condition.json),
      .init("days_earlier", Self.number(effect.daysEarlier)),
      .init("error", Self.number(effect.error)),
      .init("added_error", Self.json(effect.added)),
      .init("break_even_day_worth", effect.breakEven.map(Self.number) ?? .null),
      .init("chosen", .bool(effect.condition == report.chosenLocks[window])),
    ])
  }

  private static func json(_ estimate: Estimate) -> JSONValue {
    .object([
      .init("value", number(estimate.value)), .init("low", number(estimate.low)), .init("high", number(estimate.high)),
    ])
  }

  /// An estimate with nine significant digits; null if it is infinite.
  private static func number(_ value: Double) -> JSONValue {
    value.isFinite ? .number(RoundedText.significant(value, digits: 9)) : .null
  }
}
