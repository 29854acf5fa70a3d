internal import Answers
internal import Base
internal import JSON
internal import PageMarkup

/// A figure of the page: a chart, its description, and the table of its numbers.
///
/// The page's script draws the chart, so that its geometry is in one place for all records and for a choice of the filters.
/// Without a script the page has the description and the table.
struct Figure {
  /// The charts of the script, by the names of their functions.
  enum Chart: String {
    case campaigns, dailyInstalls, dailyRevenue, funnel, funnelPlot, histograms, installs, nullRates, revenue, senders,
      shares
    case timeline, vendorDays, windowRevenue, windows
  }

  let title: String
  let id: String
  let chart: Chart
  /// Indicates that the figure has a row of its own.
  var isWide = false
  /// The explanation below the chart, which also serves readers who cannot see it.
  let description: String
  /// The data of the chart; nil if the script finds it in that of the section.
  var data: JSONValue?
  let numbers: HTML

  var html: HTML {
    let place: HTML = isWide ? " class=\"wide\"" : ""
    let data = data.map { data -> HTML in "<script type=\"application/json\">\(HTML.script(data))</script>" }
    return """
      <figure id="\(id)" data-chart="\(chart.rawValue)"\(place)><figcaption>\(title)</figcaption>
      <div class="scroll" tabindex="0" role="group" aria-label="Chart: \(title)"><svg role="img" aria-label="\(title). \(description)"></svg></div>
      <p class="note">\(description)</p>
      <details><summary aria-label="Numbers: \(title)">Numbers</summary>\(numbers)</details>\(data ?? "")</figure>
      """
  }
}

extension JSONValue {
  /// Returns text for a chart, with control characters made visible.
  static func shown(_ text: String) -> JSONValue { .string(text.withControlCharactersEscaped) }

  /// Returns a list of integers.
  static func integers(_ numbers: [Int]) -> JSONValue { .array(numbers.map { .integer($0) }) }

  /// Returns shares, rounded to the millionth.
  static func shares(_ shares: [Double]) -> JSONValue {
    .array(shares.map { .number("\(($0 * 1_000_000).rounded() / 1_000_000)") })
  }
}
