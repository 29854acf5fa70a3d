internal import ConversionModel
package import Signatures
internal import PageMarkup

/// The page of a fit: one HTML file, which loads nothing from elsewhere and has no script.
package struct FitPage {
  private let report: FitReport
  private let labels: FittedLabels

  package init(_ report: FitReport, _ labels: FittedLabels) { (self.report, self.labels) = (report, labels) }

  /// Returns the page. Throws if the digest for the security policy cannot be computed.
  package func html() throws(LibcryptoFailure) -> String {
    let charts = FitCharts(report: report)
    let title = "\(labels.modelID)@\(labels.version) of app \(labels.appID)"
    let page: HTML = """
      \(try PageHead("Conversion model \(title)", styles: [.style]).html())
      <body>
      <header><h1>Conversion model \(title)</h1>
      <ul class="facts">\(facts)</ul>
      \(report.assumptionSentences.map { sentence -> HTML in "<p class=\"note\">\(sentence)</p>" })</header>
      <main>
      <h2 id="errors">Errors</h2>
      \(charts.errors)
      \(errorTable)
      \(report.cautionSentences.map { sentence -> HTML in "<p class=\"note\">\(sentence)</p>" })
      <h2 id="ranges">Ranges</h2>
      \(charts.ranges)
      \(report.windows.indices.map(valueTables))
      <h2 id="locks">Locks</h2>
      <p class="note">\(report.lockSentence)</p>
      \(lockTable)
      </main>
      </body>
      </html>

      """
    return page.markup
  }

  private var facts: [HTML] {
    let population = report.population
    let fitted = report.errors.first
    let facts: [(String, String)] = [
      ("\(population.installs(0))", "installs"),
      ("\(population.payers)", "users with revenue in window 0"),
      (fitted.map { RoundedText.percent($0.share.value) } ?? "", "error of the revenue of a campaign"),
    ]
    return facts.map { number, name -> HTML in "<li><b>\(number)</b>\(name)</li>" }
  }

  private var errorTable: HTML {
    let windows = report.windows.indices.map { "window \($0)" }
    var table = NumberTable(
      "Errors in \(report.population.currency), with intervals",
      [
        "model", "error", "interval", "of revenue", "times the fitted one", "interval", "pairs in the wrong order",
        "interval",
      ] + windows
    )
    for error in report.errors {
      let texts =
        [
          RoundedText.significant(error.total.value), error.total.intervalText, RoundedText.percent(error.share.value),
          RoundedText.significant(error.ratio.value), error.ratio.intervalText, RoundedText.percent(error.rank.value),
          error.rank.percentIntervalText,
        ] + error.windows.map { RoundedText.significant($0.value) }
      table.add(error.model.text, cells: texts.map { .amount($0) })
    }
    return table.html
  }

  private func valueTables(_ index: Int) -> HTML {
    let window = report.windows[index]
    var table = NumberTable(
      "Values of window \(index), in \(report.population.currency)",
      ["value", "events", "from", "to below", "mean", "installs"]
    )
    for (value, fitted) in window.fine.enumerated() { table.add("\(value)", cells: cells(fitted)) }
    for (coarse, fitted) in zip(CoarseValue.allCases, window.coarse) {
      table.add(coarse.rawValue, cells: cells(fitted))
    }
    return table.html
  }

  private func cells(_ fitted: FittedValue) -> [NumberTable.Cell] {
    [
      .text(fitted.events.joined(separator: ", ")), .amount(fitted.least.description),
      .amount(fitted.below?.description ?? ""), .amount(fitted.mean.description), .number(fitted.installs),
    ]
  }

  private var lockTable: HTML {
    var table = NumberTable(
      "Locks, and what they cost; errors in \(report.population.currency)",
      ["window", "lock", "days earlier", "error", "added", "interval", "worth it from, a day", "chosen"]
    )
    for (window, effects) in report.locks.enumerated() {
      for effect in effects {
        table.add(
          "\(window)",
          .text(effect.condition.text(window)),
          .amount(RoundedText.fixed(effect.daysEarlier, places: 3)),
          .amount(RoundedText.significant(effect.error)),
          .amount(RoundedText.significant(effect.added.value)),
          .amount(effect.added.intervalText),
          .amount(effect.breakEven.map { RoundedText.significant($0) } ?? ""),
          .text(effect.condition == report.chosenLocks[window] ? "yes" : "")
        )
      }
    }
    return table.html
  }
}
