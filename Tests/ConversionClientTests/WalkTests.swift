import ConversionClient
import Foundation
import TestSupport
import Testing

/// The facts of a random walk, as a test knows them without the client.
private struct Truth {
  var payments: [(micros: Int, currency: String, isAd: Bool, window: Int?)] = []
  var firstCall: Int?
  /// The values that Apple has accepted.
  var fine = 0
  var coarse: [Int?] = [nil, nil, nil]
  var isLocked = [false, false, false]

  func window(at now: Int) -> Int? {
    guard let firstCall else { return 0 }
    return [172_800, 604_800, 3_024_000].firstIndex { now - firstCall < $0 }
  }

  /// The sum of payments as the JSON of a total.
  func total(_ isAd: Bool, window: Int?? = nil) -> String? {
    var sums: [String: Int] = [:]
    for payment in payments where payment.isAd == isAd && (window.map { $0 == payment.window } ?? true) {
      sums[payment.currency, default: 0] += payment.micros
    }
    guard !sums.isEmpty else { return nil }
    let members = sums.sorted { $0.key < $1.key }.map { code, micros in
      "\"\(code)\":\(Decimal(sign: .plus, exponent: -6, significand: Decimal(micros)))"
    }
    return "{\(members.joined(separator: ","))}"
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Random walks of a client` {
  @Test(arguments: 0..<25) func `keep the invariants`(_ seed: UInt64) async throws {
    var random = SplitMix(seed: seed)
    let (clock, store, apple, values) = (TestClock(), MemoryStore(), TestPostbacks(), TestValues())
    func restart() throws -> ConversionClient {
      try ConversionClient(values: values, postbacks: apple, store: store, clock: clock)
    }
    var client = try restart()
    var truth = Truth()
    for step in 0..<250 {
      let (before, callsBefore) = (store.values, apple.accepted.count)
      apple.fails = Int.random(in: 0..<10, using: &random) == 0
      store.fails = Int.random(in: 0..<20, using: &random) == 0
      switch Int.random(in: 0..<10, using: &random) {
      case 0: client = try restart()
      case 1...3:
        let jumps = [1, 60, 3600, 40_000, 86_400, 172_800, -50, -3600, 400_000]
        clock.now += jumps.randomElement(using: &random) ?? 1
      case 4, 5:
        let payment = (
          micros: Int.random(in: 0...20_000_000, using: &random), currency: Bool.random(using: &random) ? "USD" : "EUR",
          isAd: Bool.random(using: &random), window: truth.window(at: clock.now)
        )
        let amount = Decimal(sign: .plus, exponent: -6, significand: Decimal(payment.micros))
        let error = await failure {
          try await client.addRevenue(amount, currency: payment.currency, isAdMonetization: payment.isAd)
        }
        #expect(error == nil || error == "storage")
        if error == nil, payment.micros > 0 { truth.payments.append(payment) }
      default:
        let answer = Self.answer(in: truth.window(at: clock.now), using: &random)
        values.next(answer)
        let error = await failure {
          try await client.update(event: ["buy", "level"].randomElement(using: &random) ?? "")
        }
        try Self.follow(&truth, apple.accepted.dropFirst(callsBefore), answer, error, clock.now, before, store.values)
      }
      let details = await client.details()
      try Self.check(truth, details, "step \(step) of seed \(seed)")
      let isStoredWhole = try await restart().details() == details
      #expect(isStoredWhole, "a restart changes nothing: step \(step) of seed \(seed)")
    }
  }

  private static func answer(in window: Int?, using random: inout SplitMix) -> TestValues.Answer {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .values(nil)
    case 1: return .failure(.network(Failure()))
    case 2: return .values(ConversionValues(window: window ?? 0, fineValue: 64))
    default:
      var values = ConversionValues(window: window ?? 0)
      if Int.random(in: 0..<15, using: &random) == 0 { values.window = Int.random(in: 0...3, using: &random) }
      if Int.random(in: 0..<8, using: &random) > 0 { values.fineValue = Int.random(in: 0...6, using: &random) }
      if Int.random(in: 0..<4, using: &random) > 0 {
        values.coarseValue = CoarseConversionValue.allCases.randomElement(using: &random)
      }
      values.locksWindow = Int.random(in: 0..<10, using: &random) == 0
      return .values(values)
    }
  }

  /// Takes over the calls that Apple accepted in an update, and checks them.
  private static func follow(
    _ truth: inout Truth,
    _ calls: ArraySlice<PostbackValues>,
    _ answer: TestValues.Answer,
    _ error: String?,
    _ now: Int,
    _ before: [String: StoredValue],
    _ after: [String: StoredValue]
  ) throws {
    var calls = calls
    let wasOver = truth.window(at: now) == nil
    if truth.firstCall == nil, let first = calls.first {
      #expect(first.fineValue == 0 && first.coarseValue == .low && !first.locksWindow)
      calls.removeFirst()
      // The registration is done with its own success, also if the update after it fails.
      if after["skan_first_call_to_skadnetwork_timestamp"] != nil { (truth.firstCall, truth.coarse[0]) = (now, 0) }
    } else if error != nil {
      #expect(before == after, "an update that throws changes nothing")
    }
    #expect(calls.count <= 1)
    guard let call = calls.first else { return }
    #expect(!wasOver, "Apple is not called after the last window")
    guard case .values(let given?) = answer else {
      Issue.record("Apple is called without values")
      return
    }
    #expect((0...63).contains(call.fineValue) && call.coarseValue != nil)
    let current = try #require(truth.window(at: now))
    #expect(!truth.isLocked[current], "Apple is not called in a locked window")
    #expect(!call.locksWindow || given.window == current, "a late answer locks no window")
    #expect(given.window == 0 || call.fineValue == truth.fine, "the fine value changes only in the first window")
    let isNew =
      call.locksWindow || call.fineValue != truth.fine || call.coarseValue?.rawValue != truth.coarse[given.window]
    #expect(isNew, "Apple is called only if something changed")
    guard error == nil else { return }
    truth.fine = call.fineValue
    truth.coarse[given.window] = call.coarseValue?.rawValue
    if call.locksWindow { truth.isLocked[given.window] = true }
  }

  /// Compares the state of the client with the truth.
  private static func check(_ truth: Truth, _ details: [String: String], _ place: Comment) throws {
    #expect(details["skan_first_call_to_skadnetwork_timestamp"] == truth.firstCall.map { "\($0)" }, place)
    #expect(details["skan_current_conversion_value"] == truth.firstCall.map { _ in "\(truth.fine)" }, place)
    #expect(details["skan_total_revenue_by_currency"] == truth.total(false), place)
    #expect(details["skan_total_admon_revenue_by_currency"] == truth.total(true), place)
    for window in 0...2 {
      #expect(details["p\(window)_coarse"] == truth.coarse[window].map { "\($0)" }, place)
      #expect((details["p\(window)_window_lock"] != nil) == truth.isLocked[window], place)
      #expect(details["p\(window)_total_iap_revenue"] == truth.total(false, window: window), place)
      #expect(details["p\(window)_total_admon_revenue"] == truth.total(true, window: window), place)
    }
  }
}
