internal import Glibc

/// A funnel plot: the share of each party over its number of records, with the limits in which the shares of equal parties
/// of that size lie.
struct FunnelPlot {
  let title, id, caption, kind: String
  let points: [(name: String, count: Int, total: Int)]

  private static let (left, width, top, height) = (64.0, 640.0, 14.0, 220.0)
  /// The quantiles of the normal distribution for 95 and 99.8 %.
  private static let limits = [1.96, 3.09]

  var html: HTML {
    let points = points.filter { $0.total > 0 }
    let all = points.reduce(into: (count: 0, total: 0)) { $0 = ($0.count + $1.count, $0.total + $1.total) }
    guard points.count > 2, let largest = points.map(\.total).max(), let least = points.map(\.total).min() else {
      return ""
    }
    let mean = Double(all.count) / Double(all.total)
    let highest = points.map { Double($0.count) / Double($0.total) }.max() ?? 0
    let ticks = Ticks(to: 100 * min(max(highest * 1.1, 2 * mean), 1))
    let (low, high) = (log10(Double(max(least, 1))) - 0.1, log10(Double(largest)) + 0.1)
    func x(_ total: Double) -> Double { Self.left + Self.width * (log10(total) - low) / (high - low) }
    func y(_ share: Double) -> Double {
      Self.top + Self.height * (1 - min(max(100 * share, 0), ticks.end) / ticks.end)
    }
    var drawing = Drawing(width: 760, height: 300)
    for value in ticks.values {
      drawing.line(Self.left, y(value / 100), Self.left + Self.width, y(value / 100), .grid)
      drawing.text("\(Numbers.short(value)) %", x: Self.left - 6, y: y(value / 100) + 4, .end, .axis)
    }
    let steps = (0...40).map { pow(10, low + (high - low) * Double($0) / 40) }
    for limit in Self.limits {
      for sign in [-1.0, 1] {
        func bound(_ total: Double) -> Double { mean + sign * limit * (mean * (1 - mean) / total).squareRoot() }
        for (one, other) in zip(steps, steps.dropFirst()) {
          drawing.line(x(one), y(bound(one)), x(other), y(bound(other)), .whisker)
        }
      }
    }
    drawing.line(Self.left, y(mean), Self.left + Self.width, y(mean), .mean)
    drawing.text("all \(Numbers.percent(mean))", x: Self.left + Self.width, y: y(mean) - 5, .end, .mean)
    for power in Int(low.rounded(.up))...max(Int(low.rounded(.up)), Int(high)) {
      drawing.text(
        Numbers.short(pow(10, Double(power))),
        x: x(pow(10, Double(power))),
        y: Self.top + Self.height + 18,
        .middle,
        .axis
      )
    }
    drawing.text(
      "first postbacks, logarithmic",
      x: Self.left + Self.width / 2,
      y: Self.top + Self.height + 42,
      .middle,
      .axis
    )
    var table = NumberTable(caption, [kind, "with it", "of", "share", "standard errors from the mean"])
    for point in points.sorted(by: { ($1.total, $0.name) < ($0.total, $1.name) }) {
      let share = Double(point.count) / Double(point.total)
      let error = (mean * (1 - mean) / Double(point.total)).squareRoot()
      drawing.dot(x: x(Double(point.total)), y: y(share))
      drawing.text(
        point.name.shortened(to: 22),
        x: min(x(Double(point.total)) + 8, 700),
        y: y(share) - 6,
        x(Double(point.total)) > 560 ? .end : .start,
        .value
      )
      table.add(
        point.name,
        .number(point.count),
        .number(point.total),
        .share(point.count, of: point.total),
        .amount(error > 0 ? "\(((share - mean) / error * 10).rounded() / 10)" : "")
      )
    }
    return drawing.figure(
      title,
      id: id,
      description: """
        Each dot is one \(kind): its share over its number of records. The curves are the limits in which 95 % and 99.8 % of equal \
        parties of that size lie. Networks differ in audience, apps and countries, so that a dot outside is a difference and no \
        suspicion. The filters do not change this chart.
        """,
      numbers: table.html
    )
  }
}
