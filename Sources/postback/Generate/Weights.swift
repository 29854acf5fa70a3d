/// A list of choices with weights, which are proportional to their frequencies.
struct Weights<Choice: Hashable & Sendable>: Sendable {
  /// The choices with a positive weight, in order.
  let choices: [Choice]
  /// The sum of the weights up to each choice.
  private let sums: [Double]

  /// Makes choices with their weights. A choice with weight 0 is never drawn.
  init(_ weights: [(Choice, Double)]) {
    let positive = weights.filter { $0.1 > 0 }
    choices = positive.map { $0.0 }
    var sum = 0.0
    sums = positive.map { weight in
      sum += weight.1
      return sum
    }
  }

  /// Reads `a=70,b=20,c`; nil if a name is not a choice or is repeated, a weight is not a number, or all are 0. A
  /// weight that is left out is 1.
  init?(_ text: String, _ choice: (String) -> Choice?) {
    var weights: [(Choice, Double)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first, let choice = choice(String(name)),
        let weight = words.count == 1 ? 1 : Double(String(words[1])), weight >= 0, weight <= 1e9,
        !weights.contains(where: { $0.0 == choice })
      else { return nil }
      weights.append((choice, weight))
    }
    self.init(weights)
    if choices.isEmpty { return nil }
  }

  /// Returns the same weights for the wanted choices only. May be empty.
  func filter(_ isWanted: (Choice) -> Bool) -> Weights {
    var before = 0.0
    var kept: [(Choice, Double)] = []
    for (choice, sum) in zip(choices, sums) {
      if isWanted(choice) { kept.append((choice, sum - before)) }
      before = sum
    }
    return Weights(kept)
  }

  /// Draws one of the choices. There must be at least one.
  func pick(_ random: inout SeededGenerator) -> Choice {
    let place = random.fraction() * (sums.last ?? 0)
    return choices[sums.firstIndex { place < $0 } ?? choices.count - 1]
  }
}
