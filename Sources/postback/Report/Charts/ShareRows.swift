internal import Reporting
internal import Statistics

/// A chart with a row for each party: its share in equal steps of time, each with its Wilson interval at 95 %.
struct ShareRows {
  /// A party with its shares.
  struct Row {
    let name: String
    /// The shares by the number of their step; steps without records have none.
    var rates: [Int: Rate]
    /// The step from which on the share is most likely another one; nil if there is none.
    var change: Int?
  }

  var rows: [Row]
  /// The labels of the steps.
  let labels: [String]
  /// The name of the steps and of what is shared.
  let unit: String

  private static let (left, width, rowHeight) = (250.0, 496.0, 74.0)

  var drawing: Drawing {
    let (left, width) = (Self.left, Self.width)
    var drawing = Drawing(width: 760, height: rows.count * Int(Self.rowHeight) + 44)
    let step = width / Double(max(labels.count, 1))
    func x(_ index: Int) -> Double { left + (Double(index) + 0.5) * step }
    for (place, row) in rows.enumerated() {
      let bottom = Double(place) * Self.rowHeight + 62
      let all = row.rates.values.reduce(Rate(0, of: 0), +)
      let highest = row.rates.values.compactMap { WilsonRate($0.count, of: $0.total).rate }.max() ?? 0
      let ticks = Ticks(to: max(100 * highest, 1) * 1.25, count: 2)
      func y(_ share: Double) -> Double { bottom - 48 * min(100 * share, ticks.end) / ticks.end }
      drawing.text(row.name.shortened(to: 22), x: left - 52, y: bottom - 28, .end)
      drawing.text(
        "\(Share(all.count, of: all.total)) of \(Numbers.grouped(all.total))",
        x: left - 52,
        y: bottom - 8,
        .end,
        .axis
      )
      for value in [0, ticks.end] {
        drawing.line(left, y(value / 100), left + width, y(value / 100), .grid)
        drawing.text("\(Numbers.short(value)) %", x: left - 6, y: y(value / 100) + 4, .end, .axis)
      }
      if let mean = WilsonRate(all.count, of: all.total).rate {
        drawing.line(left, y(mean), left + width, y(mean), .mean)
      }
      for (index, rate) in row.rates.sorted(by: { $0.key < $1.key }) {
        let wilson = WilsonRate(rate.count, of: rate.total)
        guard let share = wilson.rate, let interval = wilson.interval else { continue }
        drawing.line(x(index), y(interval.low), x(index), y(interval.high), .whisker)
        drawing.dot(x: x(index), y: y(share))
      }
      if let change = row.change {
        let edge = left + Double(change) * step
        drawing.line(edge, bottom - 52, edge, bottom + 4, .bad)
        drawing.text("changed", x: edge + 5, y: bottom - 42, .start, .axis)
      }
    }
    let axis = Double(rows.count) * Self.rowHeight + 6
    let named = labels.count > 3 ? [0, labels.count / 2, labels.count - 1] : Array(labels.indices)
    for index in named {
      let isLast = labels.count > 3 && index == labels.count - 1
      let isFirst = labels.count > 3 && index == 0
      let anchor: Drawing.Anchor = isFirst ? .start : isLast ? .end : .middle
      drawing.text(labels[index], x: isFirst ? left : isLast ? left + width : x(index), y: axis + 14, anchor, .axis)
    }
    drawing.text(unit, x: left + width / 2, y: axis + 33, .middle, .axis)
    return drawing
  }

  /// The shares of all rows as a table.
  func table(_ caption: String, _ column: String) -> HTML {
    let lines = rows.flatMap { row in row.rates.sorted { $0.key < $1.key }.map { (row, $0.key, $0.value) } }
    return HTML.longTable(caption, [column, "from", "with it", "of", "share", "from", "to"], lines.count) {
      place,
      table in
      let (row, index, rate) = lines[place]
      let interval = WilsonRate(rate.count, of: rate.total).interval
      table.add(
        row.name,
        .time(labels[index]),
        .number(rate.count),
        .number(rate.total),
        .share(rate.count, of: rate.total),
        .amount(interval.map { Numbers.percent($0.low) } ?? ""),
        .amount(interval.map { Numbers.percent($0.high) } ?? "")
      )
    }
  }
}
