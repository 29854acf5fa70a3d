/// How often each of a few choices is made, in proportion.
struct Weights<Choice: Hashable & Sendable>: Sendable {
  /// The choices that are made at all, in order.
  let choices: [Choice]
  /// The sum of the weights up to each choice.
  private let sums: [Double]

  /// Choices with their weights; those with a weight of 0 are never made.
  init(_ weights: [(Choice, Double)]) {
    let positive = weights.filter { $0.1 > 0 }
    choices = positive.map { $0.0 }
    var sum = 0.0
    sums = positive.map { weight in
      sum += weight.1
      return sum
    }
  }

  /// Reads `a=70,b=20,c`; nil where a name is no choice or is there twice, a weight is no number, or all are 0.
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

  /// The same weights, less the choices that are not wanted. May be empty.
  func filter(_ isWanted: (Choice) -> Bool) -> Weights {
    var before = 0.0
    var kept: [(Choice, Double)] = []
    for (choice, sum) in zip(choices, sums) {
      if isWanted(choice) { kept.append((choice, sum - before)) }
      before = sum
    }
    return Weights(kept)
  }

  /// One of the choices, of which there is at least one.
  func pick(_ random: inout SeededGenerator) -> Choice {
    let place = random.fraction() * (sums.last ?? 0)
    return choices[sums.firstIndex { place < $0 } ?? choices.count - 1]
  }
}
