internal import Base
internal import DailyReports
internal import JSON
internal import Tables

extension DailyStore {
  /// The number of values of a dimension that are listed.
  private static let mostValues = 1000

  /// The dimensions, the days and the values that a query may name.
  func json(seesRevenue: Bool) -> JSONValue {
    let known = days.lazy.filter { $0 != Self.noDay }
    func day(_ day: Int32?) -> JSONValue { .text(day.map { Timestamp.name(ofDay: Int($0)) }) }
    func names(_ name: String) -> JSONValue {
      guard let place = dimensions.firstIndex(where: { $0.column.rawValue == name }) else { return .object([]) }
      let listed = self.names[place].filter { $0.key >= 0 }.sorted { $0.key < $1.key }.prefix(Self.mostValues)
      return .object(listed.map { code, text -> JSONValue.Member in .init(values[place][Int(code)], .string(text)) })
    }
    let listed = dimensions.indices.filter { values[$0].count <= Self.mostValues }.map { place in
      JSONValue.Member(dimensions[place].column.rawValue, .texts(values[place].sorted()))
    }
    return .object([
      .init("currency", seesRevenue ? .text(currency) : .null),
      .init("dimensions", .texts(dimensions.map(\.column.rawValue))),
      .init("date_types", .array([.string("install"), .string("received")])),
      .init("first_day", day(known.min())), .init("last_day", day(known.max())),
      .init("as_of", .text(asOf)),
      .init("apps", names("app_id")), .init("campaigns", names("campaign_id")), .init("values", .object(listed)),
    ])
  }
}
