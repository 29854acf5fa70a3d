import Base
import ConversionModel
import TestSupport

/// The activity of a simulated user.
struct History {
  /// An action of the user.
  struct Action {
    /// The time in seconds since 1970.
    let time: Int
    /// The event that the app reports for it.
    let event: String
    /// The revenue of the action; nil if it has none.
    var revenue: (cents: Int, currency: String, isFromAds: Bool)?
  }

  /// The actions by time. The first one is the first launch.
  let actions: [Action]

  /// The time of the first launch.
  var start: Int { actions[0].time }

  /// The same activity without ads.
  var withoutAds: History { History(actions: actions.filter { $0.event != "ad" }) }

  private init(actions: [Action]) { self.actions = actions }

  /// Creates sessions over 40 days, most of them early, and events in them.
  init(from start: Int, currencies: [String], _ random: inout SplitMix) {
    var times = [0]
    let count = Int.random(in: 0...12, using: &random)
    for _ in 0..<count {
      let days = [2, 7, 40].randomElement(using: &random) ?? 40
      times.append(.random(in: 0...days * 24 * 3600, using: &random))
    }
    // Some sessions are at the end of a window.
    if Int.random(in: 0..<4, using: &random) == 0 {
      times.append((SKAN4Device.ends.randomElement(using: &random) ?? 0) + .random(in: -2...2, using: &random))
    }
    var actions: [Action] = []
    for time in times.sorted() {
      var time = max(start + time, (actions.last?.time ?? 0) + 1)
      actions.append(Action(time: time, event: "__SESSION__"))
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        time += .random(in: 1...900, using: &random)
        let event = ["level", "level", "signup", "subscribe", "purchase", "ad"].randomElement(using: &random) ?? ""
        var action = Action(time: time, event: event)
        if event == "purchase" || event == "ad" {
          action.revenue = (
            .random(in: event == "ad" ? 1...20 : 99...3000, using: &random),
            currencies.randomElement(using: &random) ?? "USD", event == "ad"
          )
        }
        actions.append(action)
      }
    }
    self.actions = actions
  }

  /// Returns the activity in a closed range of times as a model counts it, with the model's kind of revenue and currency.
  func activity(
    _ times: ClosedRange<Int>,
    under model: ConversionModel,
    rates: CurrencyRates
  ) throws -> Activity {
    var activity = Activity()
    var cents: [[String: Int]] = [[:], [:]]
    for action in actions where times.contains(action.time) {
      activity.counts[action.event, default: 0] += 1
      activity.counts["last_active_day"] = (action.time - start) / (24 * 3600)
      if let revenue = action.revenue {
        cents[revenue.isFromAds ? 1 : 0][revenue.currency, default: 0] += revenue.cents
      }
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
