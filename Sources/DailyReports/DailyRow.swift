internal import Base
internal import ConversionModel
package import NullValueModelling

/// A row of `skan_daily`, with the events of its postbacks.
package struct DailyRow: Sendable {
  /// The key.
  package var group: DailyGroup
  /// The names, by their dimensions; nil where the postbacks do not agree.
  package var names: [String?]
  /// The sums.
  package var metrics = DailyMetrics()
  /// The sums of each event, by name.
  package var events: [String: DailyEventSums] = [:]
  /// The null postbacks, by the strata in which they are modelled.
  package var nulls = GroupNulls()
  /// The cost; nil if there is none.
  package var cost: DailyCost?
  /// The part of the row in the revenue of all windows of an install day; in the table, all of it in the first row of them.
  package var allWindows: AllWindowsRevenue?
  /// The hours after the install in which the postbacks are sent; nil if there are none.
  var arrival: ArrivalHours?
}

extension DailyRow {
  mutating func add(_ entry: DailyCells.Entry, _ outcome: DailyOutcome, _ names: [String?]) {
    for index in names.indices where self.names[index]?.exact != names[index]?.exact { self.names[index] = nil }
    metrics.add(outcome, entry.count)
    if let hours = outcome.arrival { arrival = arrival.map { .later($0, hours) } ?? hours }
    for event in outcome.events {
      events[event.name, default: DailyEventSums()].add(event, entry.count, isUnconverted: outcome.isUnconverted)
    }
  }
}
