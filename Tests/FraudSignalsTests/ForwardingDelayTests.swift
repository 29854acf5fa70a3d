import SKAdNetwork
import TestSupport
import Testing

@testable import FraudSignals
@testable import LookupTables
@testable import PostbackCopies
@testable import Statistics

/// Honest forwarders whose copies come late, and one that holds copies back: 4 forwarders with 1600 postbacks of 28 days.
@Suite struct `Copies that come late` {
  private static let forwarders = ["one", "two", "three", "four"]

  /// A postback with the days of receipt of its copies.
  private struct Sent {
    let number: Int
    /// The number of the forwarder, of three apps, and the day.
    let forwarder, app: Int
    let day: Double
    /// The day of the device's copy; infinite for none.
    var device: Double
    var forwarded: Double
    /// The day of a copy of a partner; nil for none.
    var partner: Double?
  }

  /// The delays of all postbacks, of which some copies are moved.
  private func delays(_ move: (inout Sent, inout SplitMix) -> Void) -> ForwardingDelay {
    var (delay, random) = (ForwardingDelay(), SplitMix(seed: 7))
    for number in 0..<1600 {
      let day = Double.random(in: 40..<68, using: &random)
      let late = Double.random(in: 0..<0.1, using: &random)
      let (forwarder, app) = (Int.random(in: 0..<4, using: &random), Int.random(in: 0..<3, using: &random))
      var sent = Sent(number: number, forwarder: forwarder, app: app, day: day, device: day, forwarded: day + late)
      move(&sent, &random)
      var copies = [copy(sent.forwarded, .networkForwarded, Self.forwarders[forwarder])]
      if sent.device < .infinity { copies.append(copy(sent.device, .appleDirect, nil)) }
      if let partner = sent.partner { copies.append(copy(partner, .networkForwarded, "partner")) }
      let cluster = SignalCluster(
        app: "\(app)",
        network: "network \(forwarder)",
        forwarder: nil,
        campaign: "c",
        week: 0,
        window: 0,
        family: 1
      )
      delay.add(PostbackSenders(copies), of: UInt128(number), cluster)
    }
    return delay
  }

  private func copy(_ day: Double, _ channel: Channel, _ forwarder: String?) -> PostbackCopy {
    PostbackCopy(
      receivedAt: Int64(day * 86_400_000),
      channel: channel,
      forwarder: forwarder,
      values: UnsignedValues()
    )
  }

  /// The forwarders that are accused.
  private func accused(_ move: (inout Sent, inout SplitMix) -> Void) -> [String] {
    var (delay, rates) = (delays(move), SignalRates())
    delay.addRates(to: &rates)
    var tests = rates.tests()
    _ = SignalFamily.correct(&tests)
    return tests.filter(\.isAlarm).map(\.party.name).sorted()
  }

  enum Clock: CaseIterable {
    case ofFiveDays, ofThreeDays, ofOneApp, ofOneMachine
  }

  /// Has the receiver of devices' copies note times of days before, with one of its clocks.
  private static func setBack(_ clock: Clock, _ sent: inout Sent) {
    switch clock {
    case .ofFiveDays: if (50..<55).contains(sent.day) { sent.device -= 5 }
    case .ofThreeDays: if (50..<53).contains(sent.day) { sent.device -= 31 }
    case .ofOneApp: if (50..<55).contains(sent.day), sent.app == 0 { sent.device -= 5 }
    case .ofOneMachine: if sent.number % 6 == 0 { sent.device -= 4 }
    }
  }

  @Test(arguments: Clock.allCases) func `behind a clock of the receiver that is slow accuse nobody`(_ clock: Clock) {
    #expect(accused { sent, _ in Self.setBack(clock, &sent) } == [])
  }

  @Test func `behind a slow clock are left out, and the output says of whom and how many`() throws {
    var counts = SignalCounts()
    counts.delay = delays { sent, _ in Self.setBack(.ofOneMachine, &sent) }
    counts.complete()
    let omissions = SignalOmissions(counts, counts.rates.tests()).partial()
    let reason = try #require(omissions.first { $0.name == .heldBack }?.reason)
    #expect(reason.contains("of four") && reason.contains("Check the times of receipt of the devices' copies."))
  }

  @Test func `a few, each by itself, leave out no copy and accuse nobody`() throws {
    // Apple sends again what comes from devices and what comes from networks.
    let isRepeated = { (sent: Sent, of: Int) in sent.number % 50 == of }
    for hasDevices in [true, false] {
      var (delay, rates) = (
        delays { sent, random in
          if isRepeated(sent, 7) { sent.forwarded += .random(in: 4..<8, using: &random) }
          let late = isRepeated(sent, 11) ? Double.random(in: 4..<8, using: &random) : 0
          if hasDevices { sent.device += late } else { (sent.device, sent.partner) = (.infinity, sent.day + late) }
        }, SignalRates()
      )
      delay.addRates(to: &rates)
      #expect(rates.entries.allSatisfy { $0.value.leftOut == 0 && $0.value.series.rate.total > 300 })
      #expect(rates.entries.values.contains { $0.series.rate.count > 0 })
      #expect(rates.tests().allSatisfy { $0.pValue > 0.01 })
    }
  }

  @Test func `because the receiver refuses some at night accuse nobody`() {
    let found = accused { sent, random in
      let hour = sent.day.truncatingRemainder(dividingBy: 1) * 24
      let isRefused = sent.forwarder == 0 && (2..<6).contains(hour) && sent.number % 3 > 0
      if isRefused { sent.forwarded += .random(in: 4..<6, using: &random) }
    }
    #expect(found == [])
  }

  @Test func `behind one of several machines of a partner with a slow clock accuse nobody`() {
    let found = accused { sent, _ in
      if sent.forwarder == 0 { sent.partner = sent.day - (sent.number % 6 == 0 ? 5 : 0) }
    }
    #expect(found == [])
  }

  enum Lists: CaseIterable {
    case weekly, ofThreeDays, afterSixDays, daily
  }

  @Test(arguments: Lists.allCases) func `and at once accuse nobody`(_ lists: Lists) {
    let found = accused { sent, random in
      guard sent.forwarder == 0 else { return }
      switch lists {
      case .weekly: if sent.number % 8 == 0 { sent.forwarded = (sent.day / 7).rounded(.up) * 7 + 0.3 }
      case .ofThreeDays:
        let isOfFile = [48, 55, 62].contains(Int(sent.day)) && sent.number % 8 < 5
        if isOfFile { sent.forwarded = Double(Int(sent.day)) + Double.random(in: 5..<5.05, using: &random) }
      case .afterSixDays:
        let hasFailed = (47..<53).contains(sent.day) && sent.number % 3 > 0
        if hasFailed { sent.forwarded = Double.random(in: 53..<55.5, using: &random) }
      case .daily: if sent.number % 8 == 0 { sent.forwarded = sent.day.rounded(.up) + 4.3 }
      }
    }
    #expect(found == [])
  }

  @Test func `one by one accuse the forwarder, beside another one that sends lists`() {
    let found = accused { sent, random in
      if sent.forwarder == 2, sent.number % 8 == 0 { sent.forwarded = (sent.day / 7).rounded(.up) * 7 + 0.3 }
      if sent.forwarder == 1, sent.number % 20 == 3 { sent.forwarded = sent.day + .random(in: 7..<9, using: &random) }
    }
    #expect(found == ["two"])
  }
}
