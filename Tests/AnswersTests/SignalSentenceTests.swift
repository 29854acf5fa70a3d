import LookupTables
import Statistics
import Testing

@testable import Answers
@testable import FraudSignals

/// The words of an alarm.
@Suite struct `A sentence about a forwarder` {
  private func text(_ name: SignalName, isThroughout: Bool) -> String {
    var test = SignalTest(
      name: name,
      basis: .copies,
      method: .rates,
      party: SignalParty(kind: .forwarder, name: "one"),
      own: Rate(count: 9, total: 90),
      others: Rate(),
      effect: 1,
      pValue: 0
    )
    test.since = SignalOnset(day: 20_454, low: 20_453, high: 20_454)
    test.isThroughout = isThroughout
    return SignalSentence(test: test).text
  }

  @Test func `says since a day only of what was not there before`() {
    let interval = " (95\u{202F}% interval 2025-12-31 to 2026-01-01)."
    #expect(text(.loweredValues, isThroughout: false).hasSuffix("), since 2026-01-01" + interval))
    let more = text(.loweredValues, isThroughout: true)
    #expect(more.hasSuffix("), in the whole period, more since 2026-01-01" + interval))
    let late = text(.lateCopies, isThroughout: true)
    #expect(late.hasSuffix("), in the whole period, more first received since 2026-01-01" + interval))
  }
}
