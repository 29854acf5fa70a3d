import Base
import ConversionModel
import Testing

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
