package import Base
package import DerivedTables
package import NullValueModelling
package import Tables

/// The settings of a daily report.
package struct DailySettings: Sendable {
  /// The dimensions to group by.
  package var dimensions = DailyDimension.usual
  /// The environments whose postbacks are counted.
  package var environments: Set<String> = ["production"]
  /// The names of the environments in order, as the summary and the digests have them.
  var environmentNames: String { environments.sorted().joined(separator: ";") }
  /// The time that the report is of; nil for the latest time of receipt that is not after `today`.
  package var asOf: Timestamp?
  /// The day of the clock, in days since 1970-01-01.
  package var today = Timestamp.now.daysSince1970
  /// The first day that is calculated, in days since 1970-01-01; nil for all days before `until`.
  package var since: Int64?
  /// The day after the last one that is calculated; nil for all days after `since`.
  package var until: Int64?
  /// The first day of which no postbacks were removed because of their age, in days since 1970-01-01; nil if none were.
  package var firstKeptDay: Int64?
  /// The period over which null postbacks are modelled together.
  package var modelPeriod = ModelPeriod.all
  /// The level of the intervals of modelled numbers.
  package var modelLevel = 0.95
  /// The rule by which the tables may replace earlier ones.
  package var replacement = TableReplacement()
  /// The number of removals of rows on a person's request so far.
  package var requests: Int64 = 0
  /// The formats of the tables.
  package var encoding: TableEncoding

  /// The usual settings.
  package init(_ encoding: TableEncoding) { self.encoding = encoding }

  /// Indicates that the days before the first one without removed rows are those of an earlier report, and all others are calculated.
  var keepsRemovedDays: Bool { firstKeptDay != nil && since == firstKeptDay && until == nil }

  /// Indicates that rows of an earlier report are kept.
  var isPartial: Bool { since != nil || until != nil }

  /// The part of the days that a day is in. Rows without a day are always calculated.
  func part(of day: Int64?) -> DayPart {
    guard let day else { return .calculated }
    if let since, day < since { return .before }
    if let until, day >= until { return .after }
    return .calculated
  }

  /// A part of the days of a report.
  package enum DayPart {
    /// The days before `since`, whose rows are kept.
    case before
    /// The days that are calculated.
    case calculated
    /// The days from `until` on, whose rows are kept.
    case after
  }
}
