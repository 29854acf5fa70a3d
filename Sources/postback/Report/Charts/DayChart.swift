internal import Base

/// A chart with a bar for each day, of parts that stand on each other, and a line for the range of their sum.
///
/// The page's script draws the same chart when the page is filtered; `dayChart` in `DrawingScript` has the same measures.
struct DayChart {
  /// A day with its parts from the bottom to the top.
  struct Bar {
    var name: String
    var parts: [(style: Drawing.Style, value: Double)]
    /// The range of the sum; nil if it is exact.
    var range: (low: Double, high: Double)?
    /// Indicates that the sum has no upper limit.
    var isOpenEnded = false
    var title: String

    fileprivate var sum: Double { parts.reduce(0) { $0 + $1.value } }
  }

  var bars: [Bar]
  var unit: String
  var isWhole: Bool

  private static let (left, width, height) = (64.0, 680.0, 170.0)

  var drawing: Drawing {
    let (left, width, height) = (Self.left, Self.width, Self.height)
    var drawing = Drawing(width: 760, height: 240)
    let ticks = Ticks(to: bars.map { max($0.sum, $0.range?.high ?? 0) }.max() ?? 0, isWhole: isWhole)
    func y(_ value: Double) -> Double { 10 + height * (1 - max(value, 0) / ticks.end) }
    for value in ticks.values {
      drawing.line(left, y(value), left + width, y(value), .grid)
      drawing.text(Numbers.short(value), x: left - 6, y: y(value) + 4, .end, .axis)
    }
    let step = width / Double(max(bars.count, 1))
    let thickness = min(step * 0.7, 44)
    for (index, bar) in bars.enumerated() {
      let middle = left + (Double(index) + 0.5) * step
      var bottom = 0.0
      for part in bar.parts where part.value > 0 {
        drawing.bar(
          x: middle - thickness / 2,
          y: y(bottom + part.value),
          width: thickness,
          height: y(bottom) - y(bottom + part.value),
          part.style,
          title: bar.title
        )
        bottom += part.value
      }
      guard let range = bar.range, range.high > 0 else { continue }
      let cap = min(step * 0.2, 6)
      drawing.line(middle, y(range.low), middle, y(range.high), .whisker)
      drawing.line(middle - cap, y(range.low), middle + cap, y(range.low), .whisker)
      // An arrow shows that there is no upper limit.
      let drop = bar.isOpenEnded ? 5.0 : 0
      drawing.line(middle - cap, y(range.high) + drop, middle, y(range.high), .whisker)
      drawing.line(middle, y(range.high), middle + cap, y(range.high) + drop, .whisker)
    }
    if bars.count > 1 {
      let mean = bars.reduce(0) { $0 + $1.sum } / Double(bars.count)
      drawing.line(left, y(mean), left + width, y(mean), .mean)
      drawing.text("mean \(Numbers.short(mean))", x: left + width, y: y(mean) - 5, .end, .mean)
    }
    for index in Self.labelled(bars.count) {
      let isAtEnd = bars.count > 3 && index == bars.count - 1
      let x = isAtEnd ? left + width : left + (Double(index) + 0.5) * step
      drawing.text(bars[index].name, x: x, y: height + 28, isAtEnd ? .end : .middle, .axis)
    }
    drawing.text(unit, x: left + width / 2, y: height + 48, .middle, .axis)
    return drawing
  }

  /// The indexes of the bars with a name below: both ends, and the middle if there are more than three.
  private static func labelled(_ count: Int) -> [Int] {
    count > 3 ? [0, count / 2, count - 1] : Array(0..<count)
  }
}

extension Timestamp {
  /// Returns the date that is `day` days after 1970-01-01.
  static func name(ofDay day: Int) -> String {
    String("\(Timestamp(milliseconds: Int64(day) * 86_400_000))".prefix(10))
  }
}
