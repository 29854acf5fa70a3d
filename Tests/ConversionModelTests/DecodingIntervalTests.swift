import Base
import Testing

@testable import ConversionModel

/// Install dates with wider intervals: of test postbacks, and of apps with re-engagement.
extension DecodingTests {
  @Test(
    arguments: [
      (-1, 0, DecodeStatus.decoded, "revenue@1", nil), (0, 0, .ambiguous, nil, "revenue@1|revenue@2"),
      (5000, 0, .ambiguous, nil, "revenue@1|revenue@2"), (-1, 9, .decoded, "revenue@1", nil),
      (5, 9, .ambiguous, nil, "revenue@1|none"),
    ] as [(Int64, Int64, DecodeStatus, String?, String?)]
  )
  func `a test postback is decoded if all models before its arrival agree`(
    _ hours: Int64,
    _ gap: Int64,
    _ status: DecodeStatus,
    _ model: String?,
    _ ambiguous: String?
  ) throws {
    var conversion = Self.conversion(hours: hours)
    conversion.isDevelopment = true
    let decoding = try Self.models(Self.five, Self.six, gap: gap).decode(conversion)
    #expect(decoding.status == status)
    #expect(decoding.model?.description == model)
    #expect(decoding.ambiguousModels == ambiguous)
    #expect(decoding.interval == .development(receivedAt: Self.received(hours)))
    #expect(decoding.interval.earliest == nil && decoding.interval.estimated == nil)
  }

  @Test func `a test postback is decoded by the last of the models that agree`() throws {
    var conversion = Self.conversion(hours: 1)
    conversion.isDevelopment = true
    #expect(try Self.models(Self.five, Self.five).decode(conversion).model?.description == "revenue@2")
    #expect(try ModelText.load(ModelText.model(windows: Self.five)).decode(conversion).status == .decoded)
    conversion.receivedAt = nil
    #expect(try Self.models(Self.five, Self.six).decode(conversion).status == .ambiguous)
  }

  @Test(arguments: [
    (["true", "false"], 84, 72), (["false", "true"], 84, 24), (["false", "false"], 84, 72),
    (["true", "false"], 96, 72), (["false", "true"], 23, 72),
  ])
  func `a possible model with re-engagement widens the interval`(
    _ reengagement: [String],
    _ hours: Int64,
    _ latest: Int64
  ) throws {
    let keys = reengagement.map { #""currency":"USD","reengagement":\#($0),"# }
    let models = try Self.models(Self.five, Self.five, keys: keys)
    func decoded(_ family: PostbackFamily) -> Timestamp? {
      models.decode(Self.conversion(family, hours: hours)).interval.latest
    }
    #expect(decoded(.adAttributionKit) == Self.received(hours - latest))
    #expect(decoded(.skadnetwork4) == Self.received(hours - 72))
  }

  /// The hours before the receipt of the ends of an interval, and of its estimate.
  private func hours(_ interval: InstallDateInterval, before receipt: Int64) -> [Int64?] {
    [interval.earliest, interval.latest, interval.estimated].map { time in
      time.map { (Self.received(receipt).milliseconds - $0.milliseconds + 1_800_000) / 3_600_000 }
    }
  }

  @Test(arguments: [
    (0, "", "", [96, 24, 84]), (1, "", "", [312, 72, 252]), (2, "", "", [984, 192, 924]),
    (0, #""reengagement":false,"#, "", [96, 72, 84]), (2, #""reengagement":false,"#, "", [984, 864, 924]),
    (0, "", #""lock_window":true,"#, [96, 24, 60]),
    (0, #""reengagement":false,"#, #""lock_window":true,"#, [96, 24, 60]),
  ])
  func `the system's early end of a window does not move the estimated install date`(
    _ window: Int,
    _ keys: String,
    _ lock: String,
    _ expected: [Int64]
  ) throws {
    let windows = ModelText.window(ModelText.purchase("5"), keys: lock)
    let models = try ModelText.load(ModelText.model(keys: #""currency":"USD",\#(keys)"#, windows: windows))
    let conversion = Self.conversion(.adAttributionKit, window: window, hours: 0)
    #expect(hours(models.decode(conversion).interval, before: 0) == expected)
  }

  @Test func `without a model, and after a re-engagement, the estimated install date is the usual one`() throws {
    var conversion = Self.conversion(.adAttributionKit, window: 2, hours: 0)
    #expect(hours(Models.none.decode(conversion).interval, before: 0) == [984, 192, 924])
    conversion.conversionType = .reEngagement
    let keys = #""currency":"USD","reengagement":false,"#
    let models = try ModelText.load(ModelText.model(keys: keys, windows: Self.five))
    #expect(hours(models.decode(conversion).interval, before: 0) == [984, 192, 924])
  }

  /// The model changes that many hours before the receipt.
  @Test(
    arguments: [
      (30, "revenue@1"), (72, "revenue@1"), (83, "revenue@1"), (84, "revenue@2"), (90, "revenue@2"),
    ] as [(Int64, String)]
  )
  func `the model of the usual install dates is reported`(_ change: Int64, _ model: String) throws {
    let decoding = try Self.models(Self.five, Self.five).decode(Self.conversion(.adAttributionKit, hours: change))
    #expect(decoding.model?.description == model)
    #expect(hours(decoding.interval, before: change) == [96, 24, 84])
    let differing = try Self.models(Self.five, Self.six).decode(Self.conversion(.adAttributionKit, hours: change))
    #expect(differing.ambiguousModels == "revenue@1|revenue@2")
  }

  /// Version 2 is in force from that many hours before the receipt on, and only one of both has re-engagement or locks.
  @Test(
    arguments: [
      // Dates under version 2 are possible only if the system locked the window.
      (["false", "true"], "", "", 50, [96, 24, 84]),
      // Under version 2 the window cannot have ended early, so version 1 has all dates, or those up to the change.
      (["true", "false"], "", "", 50, [96, 50, 84]), (["true", "false"], "", "", 90, [96, 72, 84]),
      // Only version 1 locks: up to the change the app may have locked the window.
      (["true", "true"], #""lock_window":true,"#, "", 50, [96, 24, 73]),
      // Only version 2 locks.
      (["true", "true"], "", #""lock_window":true,"#, 50, [96, 24, 60]),
      (["true", "true"], "", #""lock_window":true,"#, 12, [96, 24, 84]),
    ] as [([String], String, String, Int64, [Int64])]
  )
  func `each model has its own usual install dates, on its own days`(
    _ reengagement: [String],
    _ lockBefore: String,
    _ lockAfter: String,
    _ change: Int64,
    _ expected: [Int64]
  ) throws {
    let windows = [lockBefore, lockAfter].map { ModelText.window(ModelText.purchase("5"), keys: $0) }
    let keys = reengagement.map { #""currency":"USD","reengagement":\#($0),"# }
    let models = try Self.models(windows[0], windows[1], keys: keys)
    #expect(
      hours(models.decode(Self.conversion(.adAttributionKit, hours: change)).interval, before: change) == expected
    )
  }

  @Test func `a cut interval without usual dates has its own middle`() throws {
    let start = EffectiveSpan(start: Self.received(-60), end: nil)
    let end = EffectiveSpan(start: nil, end: Self.received(-90))
    let interval = InstallDateInterval(
      receivedAt: Self.received(0),
      family: .adAttributionKit,
      window: 0,
      conversionValueIsZero: false,
      systemLocksWindow: true
    )
    let (late, early) = (interval.limited(to: start), interval.limited(to: end))
    #expect(hours(late, before: 0) == [60, 24, 42])
    #expect(hours(early, before: 0) == [96, 90, 93])
    #expect(late.union(early) == early.union(late))
    #expect(hours(late.union(early), before: 0) == [96, 24, 93])
  }

  @Test func `a model that the app no longer locks under is not widened by the one before`() throws {
    let locked = ModelText.window(ModelText.purchase("5"), keys: #""lock_window":true,"#)
    let models = try Self.models(locked, Self.six)
    func decode(_ hours: Int64) -> Decoding { models.decode(Self.conversion(hours: hours)) }
    // Under version 2 nothing comes before 72 hours.
    let early = decode(50)
    #expect(early.status == .decoded && early.model?.description == "revenue@1")
    #expect(early.interval.earliest == Self.received(50 - 96))
    #expect(early.interval.latest == Timestamp(milliseconds: Self.received(0).milliseconds - 1))
    #expect(decode(80).ambiguousModels == "revenue@1|revenue@2")
    #expect(decode(96).model?.description == "revenue@2")
  }

  @Test(arguments: [(0, 48), (nil, 98), (7, 98)] as [(Int?, Int64)])
  func `a missing value does not tell that the app has not updated it`(_ fine: Int?, _ most: Int64) throws {
    let models = try ModelText.load(
      ModelText.model(keys: #""currency":"USD","measurement_hours":50,"#, windows: Self.five)
    )
    var conversion = Self.conversion(.skadnetwork3OrEarlier, fine: fine, hours: 0)
    for hasWon in [true, false] {
      conversion.won = hasWon
      #expect(models.decode(conversion).interval.earliest == Self.received(-most))
      #expect(models.decode(conversion).interval.latest == Self.received(-24))
      // Nobody is told the value of a lost attribution.
      if fine != nil { break }
    }
  }
}
