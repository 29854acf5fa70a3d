@testable import ConversionModel
import ConversionClient
import Foundation
import TestSupport
import Testing

/// A user of an app, as the test knows the user without the client: the activity in each conversion window.
struct SimulatedUser {
  /// The activity of a window, and its part that the client has told.
  struct Window {
    var counts: [String: Int] = [:]
    var micros = 0
    /// The activity at the last update that led to a value; nil before one.
    var told: Activity?
    var isLocked = false
  }

  let app: SimulatedApp
  /// The conversion whose windows count.
  let type: ConversionType
  var windows = [Window](repeating: Window(), count: 3)
  private let begin: Int

  init(_ app: SimulatedApp, begin: Int, type: ConversionType = .install) {
    self.app = app
    self.begin = begin
    self.type = type
  }

  /// Notes revenue of the model's kind.
  mutating func pay(_ micros: Int, isAd: Bool, at now: Int) {
    let kind = app.model.revenueKind
    guard kind == .all || (kind == .adMonetization) == isAd, let window = window(at: now) else { return }
    windows[window].micros += micros
  }

  /// Notes an event that an update reported at a time, and its result.
  mutating func did(_ event: String, _ update: Update, at now: Int) throws {
    guard let window = window(at: now) else { return }
    windows[window].counts[event, default: 0] += 1
    let activity = try activity(in: window, at: now)
    switch type {
    case .install:
      guard update.window == window, update.outcome == .sent || update.outcome == .unchanged else { return }
    case .reEngagement:
      // The result is that of the install.
      let encoding = app.model.encode(activity, window: window, conversionType: type)
      guard !windows[window].isLocked, window == 0 ? encoding?.fine != nil : encoding?.coarse != nil else { return }
      windows[window].isLocked = encoding?.locksWindow == true
    }
    windows[window].told = activity
  }

  private func window(at now: Int) -> Int? { [172_800, 604_800, 3_024_000].firstIndex { now - begin < $0 } }

  private func activity(in index: Int, at now: Int) throws -> Activity {
    let first = app.model.window(index, type)?.isCumulative == true ? 0 : index
    var activity = Activity()
    for window in windows[first...index] {
      activity.counts.merge(window.counts, uniquingKeysWith: +)
      activity.revenue += try Amount(parsing: decimal(window.micros))
    }
    activity.counts["last_active_day"] = (now - begin) / 86_400
    return activity
  }
}

/// A device on which a user uses an app for up to 35 days, through the client.
struct SimulatedDevice {
  let app: SimulatedApp
  let clock: VirtualClock
  let apple: SimulatedApple
  private(set) var user: SimulatedUser?
  /// The user's activity since a re-engagement; nil before one.
  private(set) var returned: SimulatedUser?
  /// Indicates that the user comes back through an ad.
  var returns = false
  private let file: URL
  private let values: any ConversionValueSource
  private var client: ConversionClient
  private var random: SplitMix

  /// A device on which the app is opened for the first time.
  init(_ app: SimulatedApp, framework: AdFramework, in folder: TemporaryFolder, seed: UInt64, server: URL?) async throws
  {
    self.app = app
    clock = VirtualClock(1_780_000_000 + Int(seed))
    apple = SimulatedApple(framework, clock: clock, seed: seed)
    file = URL(fileURLWithPath: folder.path("state-\(UUID().uuidString).json"))
    random = SplitMix(seed: seed ^ 0xC0FFEE)
    if let server {
      values = ServerValues(
        of: server,
        for: AppIdentity(bundleID: app.bundleID),
        version: framework == .skAdNetwork3 ? .v1 : .v2,
        transport: LossyTransport(clock: clock, seed: seed),
        clock: clock
      )
    } else {
      values = ModelValues(app.models, appID: app.id)
    }
    client = try ConversionClient(
      values: values,
      postbacks: apple,
      framework: framework,
      store: FileStore(file),
      clock: clock
    )
    // The windows of the client begin when Apple has accepted its first call.
    while (try? await client.register()) == nil { clock.now += 5 }
    user = SimulatedUser(app, begin: clock.now)
  }

  /// Uses the app sixty times within so many seconds of the first launch.
  mutating func use(for seconds: Int) async throws {
    let begin = clock.now
    let times = (0..<60).map { _ in Self.time(within: seconds, using: &random) }.sorted()
    for (number, time) in times.enumerated() {
      if returns, number == 30 { try await comeBack() }
      clock.now = max(clock.now, begin + time)
      if Int.random(in: 0..<6, using: &random) == 0 {
        client = try ConversionClient(
          values: values,
          postbacks: apple,
          framework: apple.framework,
          store: FileStore(file),
          clock: clock
        )
      }
      let event = [Event.session, "other"].randomElement(using: &random) ?? ""
      let known = app.events.randomElement(using: &random)
      try await happen(Int.random(in: 0..<3, using: &random) == 0 ? event : known ?? event)
    }
  }

  /// Opens the app through an ad.
  private mutating func comeBack() async throws {
    let url = try #require(URL(string: "https://example.com/?AdAttributionKitReengagementOpen=tag"))
    while (try? await client.reengage(opening: url)) == nil { clock.now += 5 }
    returned = SimulatedUser(app, begin: clock.now, type: .reEngagement)
  }

  /// Reports an event, with revenue if it is one that earns, until the client succeeds.
  private mutating func happen(_ event: String) async throws {
    if app.earners.contains(event), let currency = app.model.currency {
      let isAd = app.model.revenueKind == .adMonetization || Int.random(in: 0..<4, using: &random) == 0
      let micros = Int.random(in: 1...(isAd ? 40_000 : 9_000_000), using: &random)
      try await client.addRevenue(
        Decimal(sign: .plus, exponent: -6, significand: Decimal(micros)),
        currency: currency,
        isAdMonetization: isAd
      )
      let now = clock.now
      user?.pay(micros, isAd: isAd, at: now)
      returned?.pay(micros, isAd: isAd, at: now)
    }
    while true {
      do {
        let update = try await client.update(event: event)
        let now = clock.now
        try user?.did(event, update, at: now)
        try returned?.did(event, update, at: now)
        return
      } catch ConversionClientError.windowsOver {
        return
      } catch ConversionClientError.refused(let reason) {
        #expect(reason.hasPrefix("Invalid measurement period") || reason.hasPrefix("More than"), "\(reason)")
        return
      } catch ConversionClientError.noModel {
        return
      } catch {
        clock.now += 7
      }
    }
  }

  /// A time from the first launch on; early times are more likely, as users are more active then.
  private static func time(within seconds: Int, using random: inout SplitMix) -> Int {
    let part = Double.random(in: 0...1, using: &random)
    return Int(part * part * part * Double(seconds))
  }
}
