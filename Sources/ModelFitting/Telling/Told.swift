internal import ConversionModel

/// The facts that an app tells of its users in a window: revenue, and sets of events as bits.
struct Told: Sendable {
  /// The revenue by user, in millionths.
  var amounts: [Int64]
  /// The events by user, as bits.
  var sets: [UInt8]
  /// The days by which the postbacks of a user come earlier.
  var daysEarlier: [Double]
}

/// A condition under which an app locks a window.
package enum LockCondition: Hashable, Sendable {
  /// The app never locks.
  case never
  /// The user is active a day after the first launch or later.
  case secondDay
  /// A fine value or a higher one is told.
  case fineValue(Int)
  /// A coarse value or a higher one is told: 1 for medium, 2 for high.
  case coarseValue(Int)
}

extension Population {
  /// Returns what the app tells in a window if it locks it under a condition: all until then, and nothing after it.
  func told(_ window: Int, _ condition: LockCondition, _ ladders: WindowLadders) -> Told {
    let empty = [UInt8](repeating: 0, count: count)
    var told = Told(amounts: revenue[window], sets: empty, daysEarlier: [Double](repeating: 0, count: count))
    guard condition != .never || window == 0 && !events.isEmpty else { return told }
    let span = ModelWindow.spans[window]
    for user in 0..<count where weights[window][user] > 0 {
      var before: Int64 = 0
      for step in steps(of: user) {
        guard step.age < span.upperBound else { break }
        guard step.age >= span.lowerBound else {
          before = step.total
          continue
        }
        if window == 0, step.event >= 0, step.event < 8 { told.sets[user] |= 1 << UInt8(step.event) }
        let amount = max(step.total - before, 0)
        guard condition.isMet(amount, Int(told.sets[user]), age: Int(step.age), ladders) else { continue }
        told.amounts[user] = amount
        told.daysEarlier[user] = Double(span.upperBound - Int64(step.age)) / 86_400
        break
      }
    }
    return told
  }
}

extension LockCondition {
  fileprivate func isMet(_ amount: Int64, _ set: Int, age: Int, _ ladders: WindowLadders) -> Bool {
    switch self {
    case .never: false
    case .secondDay: age >= 86_400
    case .fineValue(let least):
      !ladders.fine.isEmpty && ladders.fineValue(amount, set: set & (ladders.fine.count - 1)) >= least
    case .coarseValue(let least): ladders.coarse.range(of: amount) >= least
    }
  }

  /// Returns the condition in words, for a window.
  package func text(_ window: Int) -> String {
    switch self {
    case .never: "never"
    case .secondDay: window == 0 ? "at the first use after 24 hours" : "at the first use in the window"
    case .fineValue(let value): "from fine value \(value) on"
    case .coarseValue(1): "from medium on"
    case .coarseValue: "from high on"
    }
  }

  /// Returns the conditions that are compared in a window.
  static func all(in window: Int) -> [LockCondition] {
    window == 0
      ? [.secondDay] + [63, 60, 56, 48, 40, 32].map { .fineValue($0) } : [.secondDay, .coarseValue(2), .coarseValue(1)]
  }
}
