internal import Base
internal import ConversionModel
package import JSON
internal import NullValueModelling
internal import Tables

// A total of `skan_modelled` in the summary of a daily report.
extension ModelledRow {
  /// The total as a JSON object.
  package var json: JSONValue {
    func amount(_ amount: Amount?) -> JSONValue { amount.map { .number("\($0)") } ?? .null }
    func day(_ day: Int64?) -> JSONValue { .text(day.map { Timestamp.name(ofDay: $0) }) }
    return .object([
      .init(ColumnName.appID.rawValue, .integer(Int(app))),
      .init(ColumnName.postbackSequenceIndex.rawValue, .integer(window)),
      .init(ColumnName.periodStart.rawValue, day(period?.lowerBound)),
      .init(ColumnName.periodEnd.rawValue, day(period?.upperBound)),
      .init(ColumnName.conversions.rawValue, .integer(conversions)),
      .init(ColumnName.nulls.rawValue, .integer(nulls)),
      .init(ColumnName.observedRevenue.rawValue, amount(observed)),
      .init(ColumnName.modelledRevenue.rawValue, amount(revenue())),
      .init(ColumnName.modelledRevenueLow.rawValue, amount(low)),
      .init(ColumnName.modelledRevenueHigh.rawValue, amount(high)),
      .init(ColumnName.currency.rawValue, .text(currency)),
      .init(ColumnName.modelStatus.rawValue, .string(status.word)),
    ])
  }
}
