import Base
import ConversionModel
import Testing

@Suite struct DecodingTests {
  /// The time at which the model of app 1 changes.
  private static let change = 1_793_527_200_000 as Int64

  /// The time of receipt of a postback, in hours after the change.
  static func received(_ hours: Int64) -> Timestamp { Timestamp(milliseconds: change + hours * 3_600_000) }

  /// Version 1 of a model until the change, and version 2 from then on or `gap` hours later.
  static func models(
    _ before: String,
    _ after: String,
    gap: Int64 = 0,
    keys: [String] = [#""currency":"USD","#, #""currency":"USD","#]
  ) throws -> Models {
    let one = ModelText.model(version: 1, to: "\"\(received(0))\"", keys: keys[0], windows: before)
    let two = ModelText.model(version: 2, from: "\"\(received(gap))\"", keys: keys[1], windows: after)
    return try ModelText.load("[\(two),\(one)]")
  }

  static func conversion(
    _ family: PostbackFamily = .skadnetwork4,
    window: Int = 0,
    fine: Int? = 1,
    hours: Int64?
  ) -> ReceivedConversion {
    ReceivedConversion(
      appID: 1,
      family: family,
      window: window,
      fineValue: fine,
      receivedAt: hours.map { received($0) }
    )
  }

  static let five = ModelText.window(ModelText.purchase("5"))
  static let six = ModelText.window(ModelText.purchase("6"))

  @Test func `the statuses have the words of the tables`() {
    #expect(
      DecodeStatus.allCases.map(\.rawValue) == ["decoded", "null", "unmapped", "no_model", "ambiguous", "not_won"]
    )
  }

  @Test(
    arguments: [
      (#"{"event":"a"}"#, "1", "1", "1", nil, nil, nil),
      (#"{"event":"a","min_count":2,"max_count":5}"#, "3.5", "2", "5", nil, nil, nil),
      (#"{"event":"a","min_count":2,"max_count":null}"#, "2", "2", nil, nil, nil, nil),
      (#"{"event":"a","min_revenue":0.01,"max_revenue":5}"#, "1", "1", "1", "2.505", "0.01", "5"),
      (#"{"event":"a","min_revenue":9.99,"max_revenue":9.99}"#, "1", "1", "1", "9.99", "9.99", "9.99"),
      (#"{"event":"a","min_revenue":1,"max_revenue":5,"value":2}"#, "1", "1", "1", "2", "1", "5"),
      (#"{"event":"a","min_revenue":5,"max_revenue":null,"value":9}"#, "1", "1", "1", "9", "5", nil),
    ] as [(String, String, String, String?, String?, String?, String?)]
  )
  func `an event has a count and revenue, each with limits and an estimate`(
    _ event: String,
    _ count: String,
    _ minimumCount: String,
    _ maximumCount: String?,
    _ estimate: String?,
    _ minimum: String?,
    _ maximum: String?
  ) throws {
    let models = try ModelText.load(ModelText.model(windows: ModelText.window(event)))
    let decoding = models.decode(Self.conversion(hours: 0))
    #expect(decoding.status == .decoded)
    let decoded = try #require(decoding.events.first)
    #expect(decoded.name == "a")
    #expect(decoded.estimatedCount.description == count)
    #expect(String(decoded.minimumCount) == minimumCount)
    #expect(decoded.maximumCount.map(String.init) == maximumCount)
    #expect(decoded.revenue?.estimate.description == estimate)
    #expect(decoded.revenue?.minimum.description == minimum)
    #expect(decoded.revenue?.maximum?.description == maximum)
    #expect(decoding.revenue == decoded.revenue ?? .zero)
  }

  @Test func `revenue is the sum over events, and open-ended if one of them is`() throws {
    let closed = ModelText.purchase("9.99") + #",{"event":"a"},{"event":"b","min_revenue":0.01,"max_revenue":0.02}"#
    let open = closed + #",{"event":"c","min_revenue":1,"max_revenue":null,"value":2}"#
    let models = try Self.models(ModelText.window(closed), ModelText.window(open))
    let one = try #require(models.decode(Self.conversion(hours: 0)).revenue)
    #expect([one.estimate, one.minimum, try #require(one.maximum)].map(\.description) == ["10.005", "10", "10.01"])
    let two = try #require(models.decode(Self.conversion(hours: 1000)).revenue)
    #expect([two.estimate, two.minimum].map(\.description) == ["12.005", "11"])
    #expect(two.maximum == nil)
  }

  @Test func `null is distinct from 0`() throws {
    let models = try Self.models(Self.five, Self.five)
    let zero = models.decode(Self.conversion(fine: 0, hours: 0))
    #expect(zero.status == .decoded)
    #expect(zero.events.isEmpty)
    #expect(zero.revenue == .zero)
    #expect(zero.currency == "USD")
    let null = models.decode(Self.conversion(fine: nil, hours: 0))
    #expect(null.status == .null)
    #expect(null.revenue == nil)
    #expect(null.currency == nil)
    #expect(null.model == nil)
  }

  @Test func `revenue is unknown without a currency`() throws {
    let models = try ModelText.load(ModelText.model(keys: "", windows: ModelText.window(#"{"event":"a"}"#)))
    let decoding = models.decode(Self.conversion(hours: 0))
    #expect(decoding.status == .decoded)
    #expect(decoding.revenue == nil)
    #expect(decoding.revenueKind == .all)
  }

  @Test func `a postback that did not win is never decoded`() throws {
    var conversion = Self.conversion(hours: 0)
    conversion.won = false
    let decoding = try Self.models(Self.five, Self.five).decode(conversion)
    #expect(decoding.status == .notWon)
    #expect(decoding.events.isEmpty)
    #expect(decoding.revenue == nil)
    #expect(decoding.interval.earliest == Self.received(-96))
  }

  @Test func `a fine value is used before a coarse one, except a 0 that may be filled in`() throws {
    let models = try Self.models(Self.five, Self.five)
    var conversion = Self.conversion(fine: 1, hours: 0)
    conversion.coarseValue = .low
    #expect(models.decode(conversion).revenue?.estimate == Amount(5))
    conversion.fineValue = 0
    conversion.coarseValue = .high
    #expect(models.decode(conversion).revenue?.estimate == Amount(5))
    conversion.coarseValue = nil
    #expect(models.decode(conversion).revenue == .zero)
  }

  @Test(arguments: [Int.min, -1, 2, 63, 64, .max])
  func `a value that the model does not list is unmapped`(_ fine: Int) throws {
    let decoding = try Self.models(Self.five, Self.five).decode(Self.conversion(fine: fine, hours: 0))
    #expect(decoding.status == .unmapped)
    #expect(decoding.model?.description == "revenue@1")
    #expect(decoding.revenue == nil)
  }

  @Test(arguments: [Int.min, -1, 1, 2, 3, .max])
  func `a window that the model does not describe is unmapped`(_ window: Int) throws {
    let models = try ModelText.load(ModelText.model(windows: Self.five))
    #expect(models.decode(Self.conversion(window: window, hours: 0)).status == .unmapped)
    var coarse = Self.conversion(fine: nil, hours: 0)
    coarse.coarseValue = .low
    #expect(models.decode(coarse).status == .unmapped)
  }

  @Test(
    arguments: [
      (71, DecodeStatus.decoded, "revenue@1", nil), (72, .ambiguous, nil, "revenue@1|revenue@2"),
      (84, .ambiguous, nil, "revenue@1|revenue@2"), (96, .decoded, "revenue@2", nil),
    ] as [(Int64, DecodeStatus, String?, String?)]
  )
  func `models that differ are ambiguous while either may have been in force`(
    _ hours: Int64,
    _ status: DecodeStatus,
    _ model: String?,
    _ ambiguous: String?
  ) throws {
    let decoding = try Self.models(Self.five, Self.six).decode(Self.conversion(hours: hours))
    #expect(decoding.status == status)
    #expect(decoding.model?.description == model)
    #expect(decoding.ambiguousModels == ambiguous)
    #expect((decoding.revenue == nil) == (status == .ambiguous))
  }

  @Test(arguments: [(80, "revenue@1"), (84, "revenue@2"), (90, "revenue@2")] as [(Int64, String)])
  func `models that agree decode, by the model of the estimated install date`(_ hours: Int64, _ model: String) throws {
    let (one, other) = (ModelText.purchase("5"), #"{"event":"a"}"#)
    for after in ["\(one),\(other)", "\(other),\(one)"] {
      let models = try Self.models(ModelText.window("\(one),\(other)"), ModelText.window(after))
      let decoding = models.decode(Self.conversion(hours: hours))
      #expect(decoding.status == .decoded)
      #expect(decoding.model?.description == model)
    }
  }

  @Test(arguments: [
    [#""currency":"USD","#, #""currency":"EUR","#],
    [#""currency":"USD","revenue_kind":"iap","#, #""currency":"USD","revenue_kind":"admon","#],
  ])
  func `the same amount of another currency or kind is not the same`(_ keys: [String]) throws {
    let models = try Self.models(Self.five, Self.five, keys: keys)
    #expect(models.decode(Self.conversion(hours: 84)).status == .ambiguous)
  }

  @Test func `values that only one of two models lists are ambiguous`() throws {
    let models = try Self.models(Self.five, #"{"postback_sequence_index":0,"fine":{"0":[]}}"#)
    #expect(models.decode(Self.conversion(hours: 84)).status == .ambiguous)
    #expect(models.decode(Self.conversion(fine: 0, hours: 84)).status == .decoded)
    #expect(models.decode(Self.conversion(fine: 7, hours: 84)).status == .unmapped)
  }

  @Test(
    arguments: [
      (71, DecodeStatus.decoded, nil), (72, .ambiguous, "revenue@1|none"), (95, .ambiguous, "revenue@1|none"),
      (96, .noModel, nil), (171, .noModel, nil), (172, .ambiguous, "none|revenue@2"), (196, .decoded, nil),
    ] as [(Int64, DecodeStatus, String?)]
  )
  func `a time without a model counts as a model that differs`(
    _ hours: Int64,
    _ status: DecodeStatus,
    _ ambiguous: String?
  ) throws {
    let decoding = try Self.models(Self.five, Self.five, gap: 100).decode(Self.conversion(hours: hours))
    #expect(decoding.status == status)
    #expect(decoding.ambiguousModels == ambiguous)
  }

  @Test func `a gap between two models is named between both`() throws {
    let decoding = try Self.models(Self.five, Self.five, gap: 1).decode(Self.conversion(hours: 84))
    #expect(decoding.ambiguousModels == "revenue@1|none|revenue@2")
  }

  @Test func `without a time of receipt every model must agree`() throws {
    #expect(try Self.models(Self.five, Self.five, gap: 9).decode(Self.conversion(hours: nil)).status == .decoded)
    let decoding = try Self.models(Self.five, Self.six).decode(Self.conversion(hours: nil))
    #expect(decoding.ambiguousModels == "revenue@1|revenue@2")
    #expect(decoding.interval == .unbounded)
  }

  @Test func `an app without models is reported as such`() throws {
    var conversion = Self.conversion(hours: 0)
    #expect(Models.none.decode(conversion).status == .noModel)
    conversion.appID = 2
    #expect(try Self.models(Self.five, Self.five).decode(conversion).status == .noModel)
  }

  @Test(
    arguments: [
      (23, 72, "revenue@1"), (24, 24, nil), (60, 24, nil), (95, 24, nil), (96, 24, "revenue@2"),
    ] as [(Int64, Int64, String?)]
  )
  func `a model that locks the window widens the interval`(
    _ hours: Int64,
    _ latest: Int64,
    _ model: String?
  ) throws {
    let models = try Self.models(Self.five, ModelText.window(ModelText.purchase("6"), keys: #""lock_window":true,"#))
    let decoding = models.decode(Self.conversion(hours: hours))
    #expect(decoding.model?.description == model)
    #expect(decoding.interval.earliest == Self.received(hours - 96))
    #expect(decoding.interval.latest == Self.received(hours - latest))
  }

  @Test(
    arguments: [
      (0, 1, 24, 58), (0, 0, 24, 48), (48, 1, 24, 58), (57, 1, 24, 58), (59, 1, 24, 59), (97, 1, 24, 97),
      (98, 1, 24, 98),
      (200, 1, 24, 98),
    ] as [(Int64, Int, Int64, Int64)]
  )
  func `a model's measurement widens the interval on its own days alone`(
    _ hours: Int64,
    _ fine: Int,
    _ latest: Int64,
    _ earliest: Int64
  ) throws {
    let keys = [10, 50].map { #""currency":"USD","measurement_hours":\#($0),"# }
    let conversion = Self.conversion(.skadnetwork3OrEarlier, fine: fine, hours: hours)
    let interval = try Self.models(Self.five, Self.six, keys: keys).decode(conversion).interval
    #expect(interval.latest == Self.received(hours - latest))
    #expect(interval.earliest == Self.received(hours - earliest))
  }

  @Test func `random values never trap`() throws {
    let models = try Self.models(Self.five, Self.six, gap: 1000)
    var seen: Set<DecodeStatus> = []
    for _ in 0..<20_000 {
      let small = Bool.random()
      let conversion = ReceivedConversion(
        appID: small ? .random(in: 0...2) : .random(in: .min ... .max),
        family: Bool.random() ? .skadnetwork3OrEarlier : .skadnetwork4,
        window: small ? .random(in: -1...3) : .random(in: .min ... .max),
        fineValue: small ? [nil, 0, 1, 64].randomElement() ?? nil : .random(in: .min ... .max),
        coarseValue: Bool.random() ? CoarseValue.allCases.randomElement() : nil,
        receivedAt: small
          ? Self.received(.random(in: -2000...4000)) : Timestamp(milliseconds: .random(in: .min ... .max)),
        won: .random() || .random()
      )
      let decoding = models.decode(conversion)
      seen.insert(decoding.status)
      #expect((decoding.status == .ambiguous) == (decoding.ambiguousModels != nil))
    }
    #expect(seen == Set(DecodeStatus.allCases))
  }
}
