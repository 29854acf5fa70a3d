internal import DailyReports
package import FraudSignals
internal import LookupTables

extension ValueSuspicions {
  /// The names of the tests that are about conversion values.
  private static let tests: Set<String> = [
    "raised_values", "raised_revenue", "lowered_values", "added_values", "fine_values", "coarse_values",
    "invented_nulls",
  ]

  /// Takes the alarms that are about values.
  package init(_ alarms: [SignalTest]) {
    self.init()
    for alarm in alarms where Self.isAboutValues(alarm) && alarm.party.kind != .app {
      add(alarm.party, app: alarm.app, "\(alarm.name.rawValue) of \(alarm.party.kind.rawValue) \(alarm.party.name)")
    }
  }

  /// Indicates that a test is about conversion values.
  package static func isAboutValues(_ test: SignalTest) -> Bool { tests.contains(test.name.rawValue) }
}
