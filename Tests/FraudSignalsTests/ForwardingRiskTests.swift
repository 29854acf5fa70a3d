import Testing

@testable import FraudSignals
@testable import LookupTables
@testable import Statistics

/// The times at which a network's copies could be expected.
@Suite struct `The time at risk of a network` {
  private static let hour: Int64 = 3_600_000
  private let cluster = SignalCluster(
    app: "1",
    network: "one",
    forwarder: nil,
    campaign: "s12",
    week: 0,
    window: 0,
    family: 1
  )

  /// Adds a postback of another network, ten days after a time in hours, so that all before it may be missing.
  private static func end(_ risk: inout ForwardingRisk, hours: Int) {
    let later = SignalCluster(
      app: "1",
      network: "two",
      forwarder: nil,
      campaign: "s12",
      week: 0,
      window: 0,
      family: 1
    )
    risk.add(later, at: Int64(hours + 240) * hour, forwardedAt: nil)
  }

  /// Counts a postback of a device each hour, with those that were forwarded after a time.
  private func missing(hours: Int, after: Int64 = 0, isForwarded: (Int) -> Bool) -> Rate {
    var risk = ForwardingRisk()
    for hour in 0..<hours {
      let first = Int64(hour) * Self.hour
      risk.add(cluster, at: first, forwardedAt: isForwarded(hour) ? first + after : nil)
    }
    Self.end(&risk, hours: hours)
    var rates = SignalRates()
    risk.addRates(to: &rates)
    return rates.entries.values.first?.series.rate ?? Rate()
  }

  @Test func `begins with the first forwarded postback and ends with the last`() {
    #expect(missing(hours: 300) { (100..<200).contains($0) } == Rate(count: 0, total: 100))
  }

  @Test func `has no outage in it`() {
    #expect(missing(hours: 300) { !(100..<180).contains($0) } == Rate(count: 0, total: 220))
  }

  @Test func `has single postbacks in it that were not forwarded`() {
    #expect(missing(hours: 301) { $0 % 10 > 0 || $0 == 0 || $0 == 300 } == Rate(count: 29, total: 301))
  }

  /// The networks that are accused, of two with a postback each hour for 40 days, of which the second forwards all.
  private func accused(isForwarded: (Int) -> Bool) -> [String] {
    var risk = ForwardingRisk()
    for hour in 0..<960 {
      for (network, isForwarded) in [("one", isForwarded(hour)), ("two", true)] {
        let cluster = SignalCluster(
          app: "1",
          network: network,
          forwarder: nil,
          campaign: "s12",
          week: 0,
          window: 0,
          family: 1
        )
        let first = Int64(hour) * Self.hour
        risk.add(cluster, at: first, forwardedAt: isForwarded ? first : nil)
      }
    }
    Self.end(&risk, hours: 960)
    var rates = SignalRates()
    risk.addRates(to: &rates)
    var tests = rates.tests()
    _ = SignalFamily.correct(&tests)
    return tests.filter(\.isAlarm).map(\.party.name)
  }

  @Test(arguments: [7, 9, 12]) func `may have days in it in which one of two machines loses all`(_ days: Int) {
    #expect(accused { !(240..<240 + 24 * days).contains($0) || $0 % 2 == 0 } == [])
  }

  @Test func `has losses of all days in it, with some worse ones`() {
    #expect(accused { $0 % 7 > 0 && !((240..<312).contains($0) && $0 % 2 == 0) } == ["one"])
  }

  @Test func `does not count postbacks that were forwarded with a wrong signature as missing`() {
    var risk = ForwardingRisk()
    for hour in 0..<301 {
      let first = Int64(hour) * Self.hour
      risk.add(cluster, at: first, forwardedAt: hour % 10 > 0 ? first : nil, transaction: UInt64(hour) << 8)
    }
    // Rejects are counted apart from accepted postbacks.
    var rejects = ForwardingRisk()
    for hour in stride(from: 100, to: 200, by: 10) { rejects.reject(UInt64(hour) << 8) }
    Self.end(&risk, hours: 301)
    rejects.merge(risk)
    var rates = SignalRates()
    rejects.addRates(to: &rates)
    #expect(rates.entries.values.first?.series.rate == Rate(count: 19, total: 289))
  }

  @Test func `is none for an app and window of which nothing is forwarded`() {
    var risk = ForwardingRisk()
    let later = SignalCluster(
      app: "1",
      network: "one",
      forwarder: nil,
      campaign: "s12",
      week: 0,
      window: 1,
      family: 1
    )
    for hour in 0..<300 {
      let first = Int64(hour) * Self.hour
      risk.add(cluster, at: first, forwardedAt: hour == 150 ? nil : first)
      risk.add(later, at: first, forwardedAt: nil)
    }
    Self.end(&risk, hours: 300)
    var rates = SignalRates()
    risk.addRates(to: &rates)
    let entry = rates.entries.values.first
    #expect(entry?.series.rate == Rate(count: 1, total: 300))
    #expect(entry?.leftOut == 300)
  }

  @Test func `ends before the time that copies take`() {
    #expect(missing(hours: 300, after: 288 * Self.hour) { $0 < 255 } == Rate(count: 0, total: 253))
  }

  @Test func `does not believe a time in the future`() {
    func total(_ forged: Bool) -> Rate? {
      var risk = ForwardingRisk()
      risk.today = 40
      for hour in 0..<301 {
        let first = Int64(hour) * Self.hour
        risk.add(cluster, at: first, forwardedAt: hour < 255 ? first + 48 * Self.hour : nil)
      }
      if forged { risk.add(cluster, at: 40_000 * 24 * Self.hour, forwardedAt: nil) }
      var rates = SignalRates()
      risk.addRates(to: &rates)
      return rates.entries.values.first?.series.rate
    }
    #expect(total(true) == total(false))
    #expect(total(true) == Rate(count: 0, total: 61))
  }

  @Test func `is none for a network that forwards nothing`() {
    #expect(missing(hours: 100) { _ in false } == Rate(count: 0, total: 0))
  }
}
