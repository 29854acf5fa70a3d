internal import Analysis
internal import Base
internal import ConversionModel
internal import JSON
internal import SKAdNetwork

/// The counts that the page's script filters, as JSON.
struct CubeData {
  let cube: ReportCube

  /// The JSON: dimensions with their values (null for none, 0 for all others), and cells as flat lists of integers.
  var json: JSONValue {
    .object([
      .init("days", cube.days.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) } ?? .null),
      .init("forwarder", values(cube.dimensions.forwarders)),
      .init("network", values(cube.dimensions.networks)),
      .init("app", values(cube.dimensions.apps)),
      .init("outcomes", .array(cube.outcomes.map(outcome))),
      .init("counts", flat(cube.counts.map { numbers($0.place) + [$0.outcome, $0.count] })),
      .init(
        "installs",
        cube.installs.map { cells in
          flat(cells.map { numbers($0.place) + [$0.days.estimated, $0.days.earliest, $0.days.latest, $0.count] })
        } ?? .null
      ),
      .init("classes", .array(cube.classes.map { .array([.integer($0.app), text($0.currency)]) })),
      .init("revenue", cube.revenue.map { .array($0.map { revenue($0.place, $0.revenue) }) } ?? .null),
      .init("leftOut", .integer(cube.leftOut)),
    ])
  }

  private func text(_ text: String) -> JSONValue { .string(text.withControlCharactersEscaped) }

  private func values(_ values: [ReportCube.Value]) -> JSONValue {
    .array(
      values.map { value in
        switch value {
        case .named(let name): text(name)
        case .none: .null
        case .others: .integer(0)
        }
      }
    )
  }

  private func outcome(_ outcome: ReportCube.Outcome) -> JSONValue {
    let code = outcome.code.flatMap { RejectCode(rawValue: $0) }
    let stage: JSONValue = outcome.code == nil ? .null : .string(code?.stage.rawValue ?? "")
    let rejectClass = outcome.code == nil ? "accepted" : code?.rejectClass.rawValue ?? "noise"
    return .array([
      outcome.code.map(text) ?? .null,
      stage,
      outcome.status.map(text) ?? .null,
      .integer(outcome.window),
      .text(outcome.value?.rawValue),
      .string(rejectClass),
      .string(code?.explanation ?? ""),
    ])
  }

  private func numbers(_ place: ReportCube.Place) -> [Int] {
    [place.day ?? -1, place.forwarder, place.network, place.app]
  }

  private func flat(_ cells: [[Int]]) -> JSONValue { .array(cells.flatMap { $0.map { .integer($0) } }) }

  private func revenue(_ place: ReportCube.Place, _ revenue: ReportCube.Revenue) -> JSONValue {
    let sum = revenue.sum
    let counts = [revenue.classIndex, revenue.window, sum.isCumulative ? 1 : 0, sum.postbacks, sum.openEnded]
    let amounts = [sum.estimate, sum.minimum, sum.closedMaximum]
    return .array((numbers(place) + counts).map { .integer($0) } + amounts.map { .string("\($0)") })
  }
}
