internal import Statistics

/// Pairs of campaigns, drawn from users, of which one has more revenue than the other.
struct DrawnCampaigns {
  private let population: Population
  private let assumptions: Assumptions
  /// The last window whose revenue counts.
  private let lastWindow: Int
  /// The users with rows, and the entries of installs without rows.
  private let users: [Int]
  private let idle: [Int]
  private let installs: Int
  private let revenue: [Double]

  init(_ population: Population, through lastWindow: Int, _ assumptions: Assumptions, among isAmong: (Int) -> Bool) {
    (self.population, self.assumptions, self.lastWindow) = (population, assumptions, lastWindow)
    let weights = population.weights[lastWindow]
    let entries = (0..<population.count).filter { weights[$0] > 0 && isAmong($0) }
    users = entries.filter { $0 < population.users }
    idle = entries.filter { $0 >= population.users }
    installs = users.count + idle.reduce(0) { $0 + weights[$1] }
    revenue = (0..<population.count).map { user in
      (0...lastWindow).reduce(0.0) { $0 + Double(population.revenue[$1][user]) / millionths }
    }
  }

  /// Returns the share of pairs that each of several predictions puts into the wrong order; a pair that they cannot order
  /// counts half. All predictions see the same pairs.
  func discordance(_ predictions: [Predictions], pairs: Int, seed: UInt64) -> [Estimate] {
    guard installs > 0 else { return predictions.map { _ in Estimate(value: 0, low: 0, high: 0) } }
    var numbers = DrawnNumbers(seed: seed)
    var wrong = [Double](repeating: 0, count: predictions.count)
    for _ in 0..<pairs {
      let (one, other) = (campaign(predictions, &numbers), campaign(predictions, &numbers))
      let difference = one[0] - other[0]
      guard difference.magnitude > 1e-7 else { continue }
      for index in predictions.indices {
        let predicted = one[index + 1] - other[index + 1]
        if predicted.magnitude <= 1e-7 * max(1, one[index + 1].magnitude) {
          wrong[index] += 0.5
        } else if (predicted > 0) != (difference > 0) {
          wrong[index] += 1
        }
      }
    }
    return wrong.map { count in
      let interval = WilsonRate(Int(count.rounded()), of: pairs).interval
      return Estimate(value: count / Double(pairs), low: interval?.low ?? 0, high: interval?.high ?? 1)
    }
  }

  /// Returns the true revenue of a drawn campaign, and the predicted ones.
  private func campaign(_ predictions: [Predictions], _ numbers: inout DrawnNumbers) -> [Double] {
    var sums = [Double](repeating: 0, count: predictions.count + 1)
    let (nothing, coarse) = (assumptions.share(.nothing), assumptions.share(.coarse))
    for _ in 0..<assumptions.campaignInstalls {
      let drawn = numbers.below(installs)
      let user = drawn < users.count ? users[drawn] : idle[(drawn - users.count) % idle.count]
      let place = numbers.fraction()
      let kind = place < nothing ? 0 : place < nothing + coarse ? 1 : 2
      sums[0] += revenue[user]
      for index in predictions.indices { sums[index + 1] += predictions[index].values[kind][user] }
    }
    return sums
  }
}
