import Base
import ConversionModel
import PostbackServer
import TestSupport
import Testing

/// A user with SKAdNetwork 4 and the state of the user's device.
struct User {
  let history: History
  private let device: SKAN4Device

  /// Plays the history; the app's client asks `service` at each action.
  init(history: History, asking service: some ConversionValueService) throws {
    var client = SKAN4Client()
    var device = SKAN4Device(firstLaunch: history.start)
    client.register(on: &device, at: history.start)
    for action in history.actions {
      if let revenue = action.revenue {
        let amount = Double(revenue.cents) / 100
        client.earn(amount, revenue.currency, fromAds: revenue.isFromAds, at: action.time)
      }
      try client.report(action.event, to: service, on: &device, at: action.time)
    }
    self.history = history
    self.device = device
  }

  /// Compares the postback of a window with the activity of the user; false if there is nothing to compare.
  func check(_ window: Int, under api: ConversionValueAPI, _ random: inout SplitMix) throws -> Bool {
    guard let model = api.models.model(appID: 1, at: Timestamp(seconds: history.start)),
      let described = model.window(window)
    else { return false }
    let values = device.windows[window]
    let isFine = window == 0 && Bool.random(using: &random)
    let fine = isFine ? values.fine : nil
    let coarse = isFine ? nil : values.coarse.flatMap(CoarseValue.init(rank:))
    // A window in which the app was not opened has no values.
    guard fine != nil || coarse != nil else { return false }

    let isWhole = window == 0 || described.isCumulative
    let opening = isWhole ? history.start : history.start + SKAN4Device.ends[window - 1]
    let activity = try history.activity(opening...device.finalTime(of: window), under: model, rates: api.rates)
    let encoding = model.encode(activity, window: window)
    #expect(isFine ? encoding?.fine == fine : encoding?.coarse == coarse, "\(activity) in window \(window)")
    #expect(values.lockedAt == nil || encoding?.locksWindow == true)

    let delay = Int.random(in: window == 0 ? 24...48 : 24...144, using: &random) * 3600
    let decoding = api.models.decode(
      ReceivedConversion(
        appID: 1,
        family: .skadnetwork4,
        window: window,
        fineValue: fine,
        coarseValue: coarse,
        receivedAt: Timestamp(seconds: device.closingTime(of: window) + delay)
      )
    )
    return decoding.expect(activity)
  }
}

/// A user with SKAdNetwork 3.
struct OldUser {
  let history: History
  private let client: SKAN3Client

  /// Plays the history without ads; the app's client asks `service` at each action.
  init(history: History, asking service: some ConversionValueService) throws {
    var client = SKAN3Client(firstCall: history.start)
    for action in history.actions where action.event != "ad" {
      if let revenue = action.revenue { client.earn(Double(revenue.cents) / 100, revenue.currency) }
      try client.report(action.event, to: service, at: action.time)
    }
    self.history = history
    self.client = client
  }

  /// Compares the postback with the activity of the user; false if there is nothing to compare.
  func check(under api: ConversionValueAPI, _ random: inout SplitMix) throws -> Bool {
    guard let model = api.models.model(appID: 1, at: Timestamp(seconds: history.start)) else { return false }
    let measured = history.start...min(client.finalTime, history.start + model.measurementHours * 3600)
    let activity = try history.withoutAds.activity(measured, under: model, rates: api.rates)
    #expect(model.encode(activity, window: 0)?.fine == client.value, "\(activity)")

    let delay = Int.random(in: 0...24, using: &random) * 3600
    let decoding = api.models.decode(
      ReceivedConversion(
        appID: 1,
        family: .skadnetwork3OrEarlier,
        fineValue: client.value,
        receivedAt: Timestamp(seconds: client.finalTime + delay)
      )
    )
    return decoding.expect(activity)
  }
}

extension Decoding {
  /// Expects that the decoding is true of an activity; false if it is ambiguous between models.
  fileprivate func expect(_ activity: Activity) -> Bool {
    guard status == .decoded else {
      #expect(status == .ambiguous)
      return false
    }
    if events.contains(where: { $0.revenue != nil }) {
      #expect(revenue?.contains(activity.revenue) == true, "\(activity)")
    }
    for event in events {
      let count = activity.counts[event.name] ?? 0
      #expect(event.minimumCount <= count && count <= event.maximumCount ?? count, "\(event): \(activity)")
    }
    return true
  }
}

extension Timestamp {
  /// The time `seconds` after the start of 1970.
  fileprivate init(seconds: Int) { self.init(milliseconds: Int64(seconds) * 1000) }
}
