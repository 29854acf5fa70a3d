internal import ConversionModel
internal import Glibc
internal import PageMarkup

/// The drawings of the page of a fit.
struct FitCharts {
  let report: FitReport

  private static let width = 900.0
  private static let left = 190.0
  private static let right = 870.0

  private func figure(
    _ title: String,
    _ description: String,
    height: Double,
    _ drawing: HTML,
    _ note: String
  ) -> HTML {
    """
    <figure class="wide"><figcaption>\(title)</figcaption>
    <div class="scroll" tabindex="0" role="group" aria-label="Chart: \(title)"><svg role="img" viewBox="0 0 \(Self.width) \
    \(height)" aria-label="\(title). \(description)">\(drawing)</svg></div>
    <p class="note">\(note)</p></figure>
    """
  }

  // MARK: - Errors

  /// The errors of the models, with their intervals.
  var errors: HTML {
    let most = report.errors.map { $0.total.high.isFinite ? $0.total.high : $0.total.value }.max() ?? 1
    let limit = Self.roundLimit(most)
    func place(_ value: Double) -> Double { Self.left + (Self.right - Self.left) * min(value / limit, 1) }
    let bottom = 24 + 44 * Double(report.errors.count)
    var drawing: HTML = ""
    for step in 0...4 {
      let value = limit * Double(step) / 4
      let x = place(value)
      drawing = """
        \(drawing)<line class="grid" x1="\(x)" y1="12" x2="\(x)" y2="\(bottom)"/><text class="axis" x="\(x)" \
        y="\(bottom + 20)" text-anchor="middle">\(RoundedText.significant(value, digits: 3))</text>
        """
    }
    for (row, error) in report.errors.enumerated() {
      let y = 34 + 44 * Double(row)
      let total = error.total
      drawing = """
        \(drawing)<text x="\(Self.left - 12)" y="\(y + 5)" text-anchor="end">\(error.model.text)</text>\
        <line class="whisker" x1="\(place(total.low))" y1="\(y)" x2="\(place(total.high))" y2="\(y)"/>\
        <circle class="dot" cx="\(place(total.value))" cy="\(y)" r="7"/>
        """
    }
    let title = "Error of the revenue of a campaign, in \(report.population.currency)"
    return figure(
      title,
      "A dot for each model; the numbers are in the table below.",
      height: bottom + 34,
      drawing,
      "The root of the expected squared error of the revenue of a campaign of \(report.assumptions.campaignInstalls) "
        + "installs, on users of whom the model learnt nothing. Lines are intervals."
    )
  }

  private static func roundLimit(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    let unit = pow(10, log10(value).rounded(.down))
    return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map { $0 * unit }.first { $0 >= value } ?? 10 * unit
  }

  // MARK: - Ranges

  private static let bins = 48

  /// The revenue of paying users in the first window, with the limits of the ranges.
  var ranges: HTML {
    let counts = report.amounts
    let paid = counts.amounts.indices.filter { counts.amounts[$0] > 0 }
    guard let first = paid.first, let last = paid.last, let window = report.windows.first else { return "" }
    let limits = (window.fine + window.coarse).map { $0.least.approximation * millionths }.filter { $0 > 0 }
    let low = log10(min(Double(counts.amounts[first]), limits.min() ?? .infinity))
    let high = log10(max(Double(counts.amounts[last]), limits.max() ?? 0))
    let span = max(high - low, 0.1)
    func place(_ amount: Double) -> Double {
      Self.left + (Self.right - Self.left) * min(max((log10(amount) - low) / span, 0), 1)
    }
    var bins = [Int64](repeating: 0, count: Self.bins)
    for index in paid {
      let share = (log10(Double(counts.amounts[index])) - low) / span
      bins[min(Int(share * Double(Self.bins)), Self.bins - 1)] += counts.weights[index]
    }
    let most = Double(bins.max() ?? 1)
    let breadth = (Self.right - Self.left) / Double(Self.bins)
    var drawing: HTML = ""
    for (bin, count) in bins.enumerated() where count > 0 {
      let height = 200 * Double(count) / max(most, 1)
      drawing = """
        \(drawing)<rect class="bar" x="\(Self.left + breadth * Double(bin))" y="\(220 - height)" width="\(breadth - 1)" \
        height="\(height)"/>
        """
    }
    for exponent in Int(low.rounded(.up))...max(Int(low.rounded(.up)), Int(high.rounded(.down))) {
      let x = place(pow(10, Double(exponent)))
      let label = RoundedText.significant(pow(10, Double(exponent - 6)), digits: 1)
      drawing = """
        \(drawing)<line class="grid" x1="\(x)" y1="20" x2="\(x)" y2="220"/><text class="axis" x="\(x)" y="306" \
        text-anchor="middle">\(label)</text>
        """
    }
    func marks(_ name: String, _ values: [FittedValue], y: Double) -> HTML {
      let lines = values.filter { $0.least > .zero }.map { value -> HTML in
        let x = place(value.least.approximation * millionths)
        return "<line class=\"whisker\" x1=\"\(x)\" y1=\"\(y)\" x2=\"\(x)\" y2=\"\(y + 18)\"/>"
      }
      return "<text x=\"\(Self.left - 12)\" y=\"\(y + 14)\" text-anchor=\"end\">\(name)</text>\(lines)"
    }
    drawing = """
      \(drawing)<text x="\(Self.left - 12)" y="120" text-anchor="end">users</text>\(marks("fine values", window.fine, y: 230))\
      \(marks("coarse values", window.coarse, y: 258))
      """
    return figure(
      "Revenue of paying users in window 0, and the ranges of the values",
      "Bars count users by revenue on a logarithmic scale; lines below them are the limits of the ranges.",
      height: 316,
      drawing,
      "The axis is \(report.population.currency) on a logarithmic scale. A line is the amount from which the next value is "
        + "told. The tallest bar is \(bins.max() ?? 0) users."
    )
  }
}

extension HTML.Interpolation {
  /// Appends a length of a drawing.
  mutating func appendInterpolation(_ length: Double) { appendLiteral(RoundedText.fixed(length, places: 1)) }
}
