internal import Answers
internal import JSON
internal import Statistics
internal import PageMarkup

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

  /// The data of the chart. Steps are numbered, and intervals have their lower and upper limit.
  var json: JSONValue {
    .object([
      .init("unit", .string(unit)),
      .init("labels", .texts(labels)),
      .init(
        "rows",
        .array(
          rows.map { row in
            .object([
              .init("name", .shown(row.name)),
              .init("change", .integer(row.change)),
              .init("rates", .array(row.rates.sorted { $0.key < $1.key }.compactMap(Self.json))),
            ])
          }
        )
      ),
    ])
  }

  private static func json(step: Int, rate: Rate) -> JSONValue? {
    WilsonRate(rate.count, of: rate.total).interval.map { interval in
      .object([
        .init("step", .integer(step)),
        .init("count", .integer(rate.count)),
        .init("total", .integer(rate.total)),
        .init("interval", .shares([interval.low, interval.high])),
      ])
    }
  }

  /// The shares of all rows as a table.
  func table(_ caption: String, _ column: String) -> HTML {
    let lines = rows.flatMap { row in row.rates.sorted { $0.key < $1.key }.map { (row, $0.key, $0.value) } }
    return HTML.longTable(caption, [column, "from", "with it", "of", "share", "from", "to"], lines) { line, table in
      let (row, index, rate) = line
      let bounds = WilsonRate(rate.count, of: rate.total).bounds
      table.add(row.name, cells: [.time(labels[index])] + rate.cells + bounds)
    }
  }
}
