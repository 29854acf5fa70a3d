import TestSupport
import Testing

@testable import Ledger

@Suite struct `The clock for removals` {
  private static let hour: Int64 = 3_600_000
  private static let day = 24 * hour
  private static let start: Int64 = 1_780_000_000_000

  /// Looks at the clock at times in hours, and returns which of them are believed.
  private func believed(_ hours: [Int64]) -> [Bool] {
    var clock = RemovalClock()
    clock.observe(Self.start)
    return hours.map { hour in
      let time = Self.start + hour * Self.hour
      defer { clock.observe(time) }
      return clock.refusal(at: time) == nil
    }
  }

  @Test func `is believed while it goes on, also once a night`() {
    #expect(believed([0, 1, 25, 61, 97, 96, 80]) == Array(repeating: true, count: 7))
  }

  @Test func `is in doubt after a jump, and believed again after three days`() {
    for jump: Int64 in [37, 800 * 24, -800 * 24] {
      #expect(believed([jump, jump + 24, jump + 71, jump + 72, jump + 73]) == [false, false, false, true, true])
    }
    // Long pauses begin anew.
    #expect(believed([800, 800 + 300, 800 + 371, 800 + 372]) == [false, false, false, true])
  }

  @Test func `is believed at once when it comes back`() {
    #expect(believed([19_200, 19_201, 2, -19_200, 3]) == [false, false, true, false, true])
  }

  @Test func `gives what is written meanwhile the last time that was believed`() {
    var clock = RemovalClock()
    clock.observe(Self.start)
    #expect(clock.stamp(at: Self.start + Self.hour) == nil)
    for days: Int64 in [-800, 800] { #expect(clock.stamp(at: Self.start + days * Self.day) == Self.start) }
  }

  @Test func `is kept by the ledger, with the ends of removals`() throws {
    let site = try StateSite()
    do {
      let ledger = try Ledger(StateFolder(site.state), settings: [:])
      try ledger.commit(LedgerCommit(time: Self.start))
      try ledger.commit(LedgerCommit(time: Self.start + 800 * Self.day))
      try ledger.recordRemoval(.ids, before: Self.start - 400 * Self.day)
    }
    let ledger = try Ledger(existing: StateFolder(existing: site.state))
    #expect(ledger.clock.trusted == Self.start)
    #expect(ledger.clock.doubted != nil)
    func reason(_ days: Int64, of now: Int64) throws -> RemovalRefusal.Reason? {
      let before = Self.start - days * Self.day
      return try ledger.refusal(.ids, before: before, now: now) { RemovalShare(old: 21, of: 100) }?.reason
    }
    #expect(try reason(400, of: Self.start + 800 * Self.day) == .clock)
    #expect(try reason(393, of: Self.start) == nil)
    #expect(try reason(391, of: Self.start) == .share)
    try ledger.trustClock(Self.start + 800 * Self.day)
    #expect(try reason(400, of: Self.start + 800 * Self.day) == nil)
  }
}
