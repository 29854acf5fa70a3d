internal import Reporting

/// The summary of a daily report as text.
struct DailyAnswer {
  let summary: DailySummary

  /// A table, and the findings that need attention.
  var text: String {
    var table = TextTable(["window", "postbacks", "installs", "values", "nulls"], numbersIn: [1, 2, 3, 4])
    for (window, metrics) in summary.windows.enumerated() {
      table.add(["\(window)", "\(metrics.postbacks)", "\(metrics.installs)", "\(metrics.values)", "\(metrics.nulls)"])
    }
    return table.text()
  }
}
