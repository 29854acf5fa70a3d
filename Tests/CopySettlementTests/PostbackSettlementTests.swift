import SKAdNetwork
import TestSupport
import Testing

@testable import CopySettlement
@testable import PostbackCopies

/// The settlement of one postback from its copies.
@Suite struct PostbackSettlementTests {
  private let fields = UnsignedField.fields(of: .skAdNetwork(.v4_0))
  private static let hour: Int64 = 3_600_000
  /// The rule of an app whose devices send copies.
  private let expecting = SettlementRule(directSince: 0)

  private func copy(
    _ channel: Channel?,
    _ forwarder: String? = nil,
    at hours: Int64?,
    fine: Int64 = UnsignedValues.absent,
    coarse: Int64 = UnsignedValues.absent,
    country: String? = nil
  ) -> PostbackCopy {
    var values = UnsignedValues()
    values[.conversionValue] = fine
    values[.coarseConversionValue] = coarse
    if let country { values[.countryCode] = UnsignedValues.country(Array(country.utf8)) }
    return PostbackCopy(
      receivedAt: hours.map { $0 * Self.hour } ?? PostbackCopy.unknownTime,
      channel: channel,
      forwarder: forwarder,
      values: values
    )
  }

  private func device(at hours: Int64?, fine: Int64 = UnsignedValues.absent) -> PostbackCopy {
    copy(.appleDirect, at: hours, fine: fine)
  }

  private func forwarded(_ name: String? = "mmp", at hours: Int64?, fine: Int64 = UnsignedValues.absent)
    -> PostbackCopy
  {
    copy(.networkForwarded, name, at: hours, fine: fine)
  }

  private func settle(_ copies: [PostbackCopy], _ rule: SettlementRule? = nil) -> PostbackSettlement {
    PostbackSettlement(copies, fields, rule ?? expecting)
  }

  @Test func `the fields are those that Apple does not sign in a version`() {
    #expect(UnsignedField.fields(of: .skAdNetwork(.v1_0)) == [.countryCode, .redownload, .sourceAppID])
    #expect(UnsignedField.fields(of: .skAdNetwork(.v2_2)) == [.conversionValue, .countryCode])
    #expect(fields == [.conversionValue, .coarseConversionValue, .countryCode])
    #expect(
      UnsignedField.fields(of: .adAttributionKit)
        == [.conversionValue, .coarseConversionValue, .countryCode, .adInteractionType]
    )
  }

  @Test(arguments: [1, 5]) func `a forwarder's other value is a conflict, and the device's counts`(hours: Int64) {
    let result = settle([device(at: 3, fine: 20), forwarded(at: hours, fine: 35)])
    #expect(result.trustLevel == 0)
    #expect(result[.conversionValue]?.state == .conflict)
    #expect(result[.conversionValue]?.difference == .changed)
    #expect(result.values[.conversionValue] == 20)
    #expect(result.deciding == .direct)
    #expect(result.receivedAt == 3 * Self.hour)
    #expect((result.directAt, result.forwardedAt) == (3 * Self.hour, hours * Self.hour))
  }

  @Test func `equal copies of a device and a forwarder are confirmed`() {
    let result = settle([device(at: 1, fine: 20), forwarded(at: 2, fine: 20)])
    #expect(result.trustLevel == 4)
    #expect(result[.conversionValue]?.state == .confirmed)
    #expect(result[.coarseConversionValue]?.state == .absentBoth)
    #expect(result.values[.conversionValue] == 20)
  }

  @Test func `a forwarder's 0 for a missing value is a conflict unless the network writes 0 for null`() {
    let copies = [device(at: 1), forwarded(at: 2, fine: 0)]
    let result = settle(copies)
    #expect(result.trustLevel == 0)
    #expect(result[.conversionValue]?.difference == .zeroForNull)
    let tolerant = settle(copies, SettlementRule(directSince: 0, isNullAsZero: true))
    #expect(tolerant.trustLevel == 4)
    #expect(tolerant[.conversionValue]?.state == .confirmed)
    #expect(tolerant[.conversionValue]?.difference == .zeroForNull)
    #expect(tolerant.values[.conversionValue] == UnsignedValues.absent)
    let other = settle([device(at: 1), forwarded(at: 2, fine: 1)], SettlementRule(directSince: 0, isNullAsZero: true))
    #expect(other[.conversionValue]?.difference == .added)
    #expect(settle([device(at: 1, fine: 1), forwarded(at: 2)])[.conversionValue]?.difference == .dropped)
  }

  @Test func `a forwarder that contradicts itself is a conflict without a device's copy`() {
    let result = settle([forwarded(at: 1, fine: 20), forwarded(at: 2, fine: 35)])
    #expect(result.directCount == 0)
    #expect(result.trustLevel == 0)
    #expect(result[.conversionValue]?.difference == .selfConflict)
    #expect(result.values[.conversionValue] == 20)
    let two = settle([forwarded("b", at: 2, fine: 20), forwarded("a", at: 2, fine: 35)])
    #expect(two[.conversionValue]?.difference == .forwardersDiffer)
    #expect(two.forwarders == ["a", "b"])
    #expect(two.values[.conversionValue] == 35)
  }

  @Test func `the trust level tells the channels of copies that agree`() {
    #expect(settle([device(at: 1, fine: 1)]).trustLevel == 3)
    #expect(settle([forwarded(at: 1, fine: 1)]).trustLevel == 2)
    #expect(settle([forwarded(nil, at: 1, fine: 1)]).trustLevel == 1)
    #expect(settle([copy(nil, at: 1, fine: 1)]).trustLevel == 1)
    #expect(settle([copy(nil, "mmp", at: 1, fine: 1)]).trustLevel == 1)
  }

  @Test func `another country is a conflict though the values agree`() {
    let result = settle([
      copy(.appleDirect, at: 1, fine: 5, country: "US"), copy(.networkForwarded, "a", at: 2, fine: 5, country: "DE"),
    ])
    #expect(result.trustLevel == 0)
    #expect(result[.conversionValue]?.state == .confirmed)
    #expect(result[.countryCode]?.difference == .changed)
    #expect(UnsignedValues.letters(result.values[.countryCode]) == Array("US".utf8))
  }

  @Test func `a value that cannot be read gives way to one that can`() {
    let result = settle([device(at: 1, fine: UnsignedValues.unreadable), forwarded(at: 2, fine: 7)])
    #expect(result[.conversionValue]?.state == .unreadable)
    #expect(result.values[.conversionValue] == 7)
    #expect(result.trustLevel == 2)
  }

  @Test func `a device's copy does not decide before the app is known to send them`() {
    let copies = [device(at: 3, fine: 20), forwarded(at: 5, fine: 35)]
    for rule in [SettlementRule(), SettlementRule(directSince: 4 * Self.hour)] {
      let result = settle(copies, rule)
      #expect(result.trustLevel == 0)
      #expect(result.deciding == .forwarded)
      #expect(result.values[.conversionValue] == 35)
    }
    #expect(settle(copies, SettlementRule(directSince: 3 * Self.hour)).values[.conversionValue] == 20)
    #expect(settle(copies, SettlementRule(isSecure: true)).values[.conversionValue] == 20)
    #expect(settle([device(at: nil, fine: 20), forwarded(at: 5, fine: 35)]).deciding == .forwarded)
    // There is no other value.
    #expect(settle([device(at: 3, fine: 20)], SettlementRule()).values[.conversionValue] == 20)
  }

  @Test(arguments: [(48, 20), (49, 35)] as [(Int64, Int64)])
  func `a device's copy decides within the grace period only`(hours: Int64, value: Int64) {
    let result = settle([forwarded(at: 0, fine: 35), device(at: hours, fine: 20)])
    #expect(result.values[.conversionValue] == value)
    #expect(result.trustLevel == 0)
  }

  @Test func `an early device copy that does not count changes nothing for a later one that does`() {
    let rule = SettlementRule(directSince: 4 * Self.hour)
    // Both device copies are the same, and the first one came before the app's devices were known to send any.
    let copies = [device(at: 3, fine: 20), device(at: 5, fine: 20), forwarded(at: 1, fine: 35)]
    let result = settle(copies, rule)
    #expect(result.deciding == .direct && result.values[.conversionValue] == 20)
    #expect(result.receivedAt == 5 * Self.hour && result.directAt == 3 * Self.hour && result.directCount == 2)
    // The records of both have different contents, so that sorting does not merge them.
    let records = copies.map(\.record)
    #expect(records[0].dropFirst(PostbackCopy.contentStart) != records[1].dropFirst(PostbackCopy.contentStart))
    #expect(settle(records.map { PostbackCopy(record: $0[...]) }, rule).receivedAt == 5 * Self.hour)
  }

  @Test func `copies of a secure id always count, also long after a forwarder's`() {
    for time in [90, nil] as [Int64?] {
      let result = settle([forwarded(at: 0, fine: 35), device(at: time, fine: 20)], SettlementRule(isSecure: true))
      #expect(result.deciding == .direct && result.values[.conversionValue] == 20)
    }
  }

  @Test func `devices' copies that contradict each other leave no value`() {
    let copies = [device(at: 1, fine: 20), device(at: 2, fine: 35), forwarded(at: 3, fine: 20)]
    let result = settle(copies)
    #expect(result.deciding == nil && result.decider == nil)
    #expect(result.trustLevel == 0)
    #expect(result[.conversionValue]?.difference == .directConflict)
    #expect(result[.conversionValue]?.direct == [20, 35])
    #expect(result.values == UnsignedValues())
    // Anybody can send a copy to the address for devices, so that it takes nothing away where it does not decide.
    #expect(settle(copies, SettlementRule()).values[.conversionValue] == 20)
    // One that comes too late does not decide either.
    let late = settle([device(at: 1, fine: 20), device(at: 90, fine: 35), forwarded(at: 3, fine: 20)])
    #expect(late.values[.conversionValue] == 20)
    #expect(late.trustLevel == 0)
  }

  @Test func `the same copies in any order give the same result`() {
    let copies = [
      forwarded("b", at: 4, fine: 35), device(at: 4, fine: 20), forwarded("a", at: 4, fine: 34),
      forwarded("a", at: 4, fine: 34), copy(nil, at: nil, fine: 3), device(at: 5, fine: 20), copy(nil, at: 1),
    ]
    var random = SplitMix(seed: 1)
    let first = settle(copies)
    #expect(first.forwardedCount == 5)
    #expect(first.directCount == 2)
    for _ in 0..<200 {
      let other = settle(copies.shuffled(using: &random))
      #expect(other.copies == first.copies)
      #expect(other.values == first.values)
      #expect(other[.conversionValue]?.difference == first[.conversionValue]?.difference)
    }
  }

  @Test func `names of forwarders in different normal forms of Unicode are two names, in any order`() {
    let (one, other) = (forwarded("\u{E9}", at: 1, fine: 3), forwarded("e\u{301}", at: 1, fine: 3))
    for copies in [[one, other], [other, one]] {
      #expect(settle(copies).forwarders.map { Array($0.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
      #expect(settle(copies).copies.count == 2)
    }
    let different = [one, forwarded("e\u{301}", at: 1, fine: 5)]
    for copies in [different, different.reversed()] {
      #expect(settle(copies)[.conversionValue]?.difference == .forwardersDiffer)
      #expect(settle(copies).values[.conversionValue] == 5)
    }
  }

  @Test func `records of copies keep their content`() {
    var values = UnsignedValues()
    var records: [PostbackCopy] = []
    for (place, field) in UnsignedField.allCases.enumerated() {
      values[field] = field == .countryCode ? UnsignedValues.country(Array("ZA".utf8)) : Int64(place)
      records.append(PostbackCopy(receivedAt: -5, count: 3, channel: .appleDirect, forwarder: nil, values: values))
    }
    values[.conversionValue] = UnsignedValues.unreadable
    values[.countryCode] = UnsignedValues.unreadable
    values[.sourceAppID] = .max
    let last = PostbackCopy(receivedAt: .max, channel: nil, forwarder: "é", values: values)
    for copy in records + [last] {
      let record = copy.record
      #expect(PostbackCopy(record: record[...]) == copy)
      var merged = record
      PostbackCopy.merge(
        &merged,
        PostbackCopy(receivedAt: -9, count: 2, channel: nil, forwarder: nil, values: values).record[...]
      )
      var expected = copy
      (expected.receivedAt, expected.count) = (-9, copy.count + 2)
      #expect(PostbackCopy(record: merged[...]) == expected)
    }
  }
}
