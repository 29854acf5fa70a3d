internal import JSON
internal import PageMarkup

/// A funnel plot: the share of each party over its number of records, with the limits in which the shares of equal parties
/// of that size lie.
struct FunnelPlot {
  let title, id, caption, kind: String
  let points: [(name: String, count: Int, total: Int)]

  var html: HTML {
    let points = points.filter { $0.total > 0 }.sorted { ($1.total, $0.name) < ($0.total, $1.name) }
    guard points.count > 2 else { return "" }
    let all = points.reduce(into: (count: 0, total: 0)) { $0 = ($0.count + $1.count, $0.total + $1.total) }
    let mean = Double(all.count) / Double(all.total)
    var table = NumberTable(caption, [kind, "with it", "of", "share", "standard errors from the mean"])
    for point in points {
      let share = Double(point.count) / Double(point.total)
      let error = (mean * (1 - mean) / Double(point.total)).squareRoot()
      table.add(
        point.name,
        .number(point.count),
        .number(point.total),
        .share(point.count, of: point.total),
        .amount(error > 0 ? "\(((share - mean) / error * 10).rounded() / 10)" : "")
      )
    }
    let data = points.map { point -> JSONValue in
      .object([
        .init("name", .shown(point.name)), .init("count", .integer(point.count)), .init("total", .integer(point.total)),
      ])
    }
    return Figure(
      title: title,
      id: id,
      chart: .funnelPlot,
      description: """
        Each dot is one \(kind): its share over its number of records. The curves are the limits in which 95 % and 99.8 % of equal \
        parties of that size lie. Networks differ in audience, apps and countries, so that a dot outside is a difference and no \
        suspicion. The filters do not change this chart.
        """,
      data: .object([.init("points", .array(data))]),
      numbers: table.html
    ).html
  }
}
