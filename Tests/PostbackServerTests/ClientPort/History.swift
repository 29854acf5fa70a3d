import ConversionModel
import TestSupport

/// What a user really does.
struct History {
  /// One thing that the user does.
  struct Deed {
    /// When, in seconds since 1970.
    let time: Int
    /// The event that the app reports of it.
    let event: String
    /// What it earned.
    var revenue: (cents: Int, currency: String, isFromAds: Bool)?
  }

  /// In order of time; the first one is the first launch.
  let deeds: [Deed]

  /// The first launch.
  var start: Int { deeds[0].time }

  /// The same user, who sees no ads.
  var withoutAds: History { History(deeds: deeds.filter { $0.event != "ad" }) }

  private init(deeds: [Deed]) { self.deeds = deeds }

  /// Sessions over 40 days, most of them early, with what happens in them.
  init(from start: Int, currencies: [String], _ random: inout SplitMix) {
    var times = [0]
    let count = Int.random(in: 0...12, using: &random)
    for _ in 0..<count {
      let days = [2, 7, 40].randomElement(using: &random) ?? 40
      times.append(.random(in: 0...days * 24 * 3600, using: &random))
    }
    // Some are at the very ends of the windows.
    if Int.random(in: 0..<4, using: &random) == 0 {
      times.append((SKAN4Device.ends.randomElement(using: &random) ?? 0) + .random(in: -2...2, using: &random))
    }
    var deeds: [Deed] = []
    for time in times.sorted() {
      var time = max(start + time, (deeds.last?.time ?? 0) + 1)
      deeds.append(Deed(time: time, event: "__SESSION__"))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        time += .random(in: 1...900, using: &random)
        let event = ["level", "level", "signup", "subscribe", "purchase", "ad"].randomElement(using: &random) ?? ""
        var deed = Deed(time: time, event: event)
        if event == "purchase" || event == "ad" {
          deed.revenue = (
            .random(in: event == "ad" ? 1...20 : 99...3000, using: &random),
            currencies.randomElement(using: &random) ?? "USD", event == "ad"
          )
        }
        deeds.append(deed)
      }
    }
    self.deeds = deeds
  }

  /// What the user did in a time, ends included, as a model counts: its kind of revenue, in its currency.
  func activity(
    _ times: ClosedRange<Int>,
    under model: ConversionModel,
    rates: CurrencyRates
  ) throws -> Activity {
    var activity = Activity()
    var cents: [[String: Int]] = [[:], [:]]
    for deed in deeds where times.contains(deed.time) {
      activity.counts[deed.event, default: 0] += 1
      activity.counts["last_active_day"] = (deed.time - start) / (24 * 3600)
      if let revenue = deed.revenue { cents[revenue.isFromAds ? 1 : 0][revenue.currency, default: 0] += revenue.cents }
    }
    if model.revenueKind == .inAppPurchases { cents[1] = [:] }
    if model.revenueKind == .adMonetization { cents[0] = [:] }
    let start = Timestamp(milliseconds: Int64(start) * 1000)
    for (currency, sum) in cents.flatMap({ $0 }) {
      let amount = try Amount(parsing: "\(sum)e-2")
      activity.revenue += try rates.convert(amount, from: currency, to: model.currency ?? currency, on: start)
    }
    return activity
  }
}
