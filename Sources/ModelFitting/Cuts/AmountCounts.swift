internal import Glibc
internal import Statistics

/// The distinct amounts of users, ascending, with the number of installs that have each.
package struct AmountCounts: Sendable {
  package private(set) var amounts: [Int64]
  package private(set) var weights: [Int64]
  /// The weight of one install.
  private(set) var weightOfOne: Int64 = 1

  /// The most distinct amounts of an exact fit. Beyond them neighbours are put together, as many as needed.
  package static let limit = 131_072

  /// The points over which an amount of a single user is spread.
  private static let spreadCount = 8

  private init(amounts: [Int64], weights: [Int64]) { (self.amounts, self.weights) = (amounts, weights) }

  /// Counts the amounts of users for which `weight` is positive.
  package init(_ amounts: [Int64], weight: (Int) -> Int) {
    let chosen = amounts.indices.filter { weight($0) > 0 }
    self.init(of: chosen.map { (amounts[$0], Int64(weight($0))) })
  }

  private init(of pairs: [(amount: Int64, weight: Int64)]) {
    self.init(amounts: [], weights: [])
    for (amount, weight) in pairs.sorted(by: { $0.amount < $1.amount }) {
      if amounts.last == amount {
        weights[weights.count - 1] += weight
      } else {
        amounts.append(amount)
        weights.append(weight)
      }
    }
  }

  // MARK: - Amounts to come

  /// The amounts of users to come: those of several users as they are, and each amount that only one user has, spread over
  /// its neighbourhood. All weights are multiplied by the same number.
  ///
  /// By Good and Turing a user to come has an amount that nobody had before with the probability that a known user has an
  /// amount of their own. Where such amounts are likely is told by a kernel on a logarithmic scale, with the bandwidth of
  /// Silverman.
  package var expected: AmountCounts {
    let paid = amounts.indices.filter { amounts[$0] > 0 }
    let singles = paid.count { weights[$0] == 1 }
    let copies = min(Self.spreadCount, max(1, Self.limit / max(singles, 1)))
    guard singles > 0, copies > 1 else { return self }
    let users = paid.reduce(0.0) { $0 + Double(weights[$1]) }
    let mean = paid.reduce(0.0) { $0 + Double(weights[$1]) * log(Double(amounts[$1])) } / users
    let squares = paid.reduce(0.0) { sum, index in
      let distance = log(Double(amounts[index])) - mean
      return sum + Double(weights[index]) * distance * distance
    }
    let bandwidth = 0.9 * (squares / users).squareRoot() * pow(users, -0.2)
    let factors = (0..<copies).map { exp(bandwidth * Quantile.normal((Double($0) + 0.5) / Double(copies))) }
    let unit = paid.reduce(Int64(0)) { greatestCommonDivisor($0, amounts[$1]) }
    var pairs: [(Int64, Int64)] = []
    for index in amounts.indices {
      guard amounts[index] > 0, weights[index] == 1 else {
        pairs.append((amounts[index], weights[index] * Int64(copies)))
        continue
      }
      for factor in factors {
        let amount = min(Double(amounts[index]) * factor, Double(FittingEvent.largestAmount))
        pairs.append((max(1, Int64((amount / Double(unit)).rounded())) * unit, 1))
      }
    }
    var counts = AmountCounts(of: pairs)
    counts.weightOfOne = Int64(copies)
    return counts
  }

  /// The mean amount of each range of a ladder, in millionths; nil for a range without amounts.
  func means(_ ladder: Ladder) -> [Int64?] {
    var sums = [Int128](repeating: 0, count: ladder.count + 1)
    var counts = sums
    for (amount, weight) in zip(amounts, weights) {
      let range = ladder.range(of: amount)
      sums[range] += Int128(amount) * Int128(weight)
      counts[range] += Int128(weight)
    }
    return zip(sums, counts).map { $1 > 0 ? Int64($0 / $1) : nil }
  }

  // MARK: - Ladders

  /// The places at which groups of neighbours begin, so that there are at most `limit` groups.
  private var groups: [Int] {
    let size = (amounts.count + Self.limit - 1) / Self.limit
    return Array(stride(from: 0, to: amounts.count, by: max(size, 1)))
  }

  /// Returns the best partition of the amounts raised to a power, with the place of the first amount of each point. With a
  /// power below 1 amounts are shares of the largest one.
  func partition(limit: Int, power: Double, largest: Int64) -> (Partition, groups: [Int]) {
    let groups = groups
    var positions: [Int64] = []
    var masses: [Int64] = []
    let largest = Double(largest)
    for (number, start) in groups.enumerated() {
      let end = number + 1 < groups.count ? groups[number + 1] : amounts.count
      let mass = weights[start..<end].reduce(0, +)
      // The mean of a group stands for it; a group of one amount is exact.
      let sum = (start..<end).reduce(Int128(0)) { $0 + Int128(amounts[$1]) * Int128(weights[$1]) }
      let position = Int64(sum / Int128(mass))
      positions.append(power == 1 ? position : Self.raised(position, largest, power))
      masses.append(mass)
    }
    return (Partition(positions: positions, weights: masses, limit: limit), groups)
  }

  private static func raised(_ amount: Int64, _ largest: Double, _ power: Double) -> Int64 {
    largest > 0 ? Int64((pow(Double(amount) / largest, power) * 1e9).rounded()) : 0
  }

  /// Returns the ladder of the partition whose runs begin at these points.
  func ladder(_ starts: [Int], _ groups: [Int]) -> Ladder {
    starts.map { CutPlace.between(amounts[groups[$0] - 1], amounts[groups[$0]]) }
  }

  /// The ladder with the least squared error for a number of ranges. With a power below 1 it is the one for revenue raised to
  /// that power.
  package func best(ranges: Int, power: Double = 1) -> Ladder {
    let (partition, groups) = partition(limit: ranges, power: power, largest: amounts.last ?? 0)
    return ladder(partition.starts(ranges), groups)
  }

  /// The ladder that begins at the least revenue, and has as many paying users in each range above.
  package func equalFrequency(ranges: Int) -> Ladder {
    let first = amounts.first == 0 ? 1 : 0
    let total = weights[first...].reduce(0, +)
    guard total > 0 else { return [] }
    var ladder: Ladder = []
    var (below, rank): (Int64, Int64) = (0, 0)
    for index in first..<amounts.count {
      // The next range begins with the first amount that reaches its share of the users.
      while rank < Int64(ranges - 1), below * Int64(ranges - 1) >= rank * total {
        if ladder.last != amounts[index] { ladder.append(amounts[index]) }
        rank += 1
      }
      below += weights[index]
    }
    return ladder
  }

  /// The ladder from the least to the greatest revenue with a constant ratio of neighbours.
  package func logarithmic(ranges: Int) -> Ladder {
    guard let least = amounts.first(where: { $0 > 0 }), let greatest = amounts.last, ranges > 1 else { return [] }
    var ladder: Ladder = []
    for step in 0..<ranges - 1 {
      let amount = Double(least) * pow(Double(greatest) / Double(least), Double(step) / Double(ranges - 1))
      let millionths = Int64(amount.rounded())
      if ladder.last.map({ $0 < millionths }) ?? true { ladder.append(millionths) }
    }
    return ladder
  }
}
