import Testing
import TestSupport

@testable import ModelFitting

@Suite struct PartitionTests {
  /// The least cost of all partitions into runs, tried one by one.
  private func bruteForce(_ positions: [Int64], _ weights: [Int64], runs: Int) -> Double {
    func cost(_ range: Range<Int>) -> Double {
      let weight = range.reduce(0.0) { $0 + Double(weights[$1]) }
      let mean = range.reduce(0.0) { $0 + Double(weights[$1]) * Double(positions[$1]) } / weight
      return range.reduce(0.0) { sum, index in
        sum + Double(weights[index]) * (Double(positions[index]) - mean) * (Double(positions[index]) - mean)
      }
    }
    func least(from start: Int, runs: Int) -> Double {
      guard runs > 1 else { return cost(start..<positions.count) }
      return (start + 1...positions.count - runs + 1).map { end in
        cost(start..<end) + least(from: end, runs: runs - 1)
      }.min() ?? .infinity
    }
    return least(from: 0, runs: runs)
  }

  @Test(arguments: 1...40)
  func `no partition costs less than the one that is found`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    let count = Int.random(in: 3...9, using: &random)
    let positions = Set((0..<count).map { _ in Int64.random(in: 0...60, using: &random) }).sorted()
    let weights = positions.map { _ in Int64.random(in: 1...7, using: &random) }
    let partition = Partition(positions: positions, weights: weights, limit: 5)
    #expect(partition.costs.count == min(5, positions.count))
    for (index, cost) in partition.costs.enumerated() {
      let best = bruteForce(positions, weights, runs: index + 1)
      #expect((cost - best).magnitude < 1e-6 * max(1, best), "\(index + 1) runs of \(positions), \(weights)")
      let starts = partition.starts(index + 1)
      #expect(starts.count == index)
      #expect(starts == starts.sorted() && Set(starts).count == starts.count && !starts.contains(0))
    }
  }

  @Test func `more runs never cost more, and their gains fall`() {
    var random = SplitMix(seed: 7)
    let positions = Set((0..<300).map { _ in Int64.random(in: 0...100_000, using: &random) }).sorted()
    let costs = Partition(positions: positions, weights: positions.map { _ in 1 }, limit: 64).costs
    let gains = zip(costs, costs.dropFirst()).map { $0 - $1 }
    #expect(gains.allSatisfy { $0 >= 0 })
    #expect(zip(gains, gains.dropFirst()).allSatisfy { $0 >= $1 - 1e-3 })
  }

  @Test func `amounts too large for exact products are divided, and do not overflow`() {
    let positions: [Int64] = [0, 3, 999_999_999_999_999, 1_000_000_000_000_000]
    let partition = Partition(positions: positions, weights: [1_000_000, 5, 1_000_000, 1], limit: 2)
    #expect(partition.starts(2) == [2])
  }

  @Test func `whole numbers become the double that the standard library finds`() {
    var random = SplitMix(seed: 11)
    var numbers: [Int128] = [0, 1, .max]
    for bits in 0...126 as ClosedRange<Int128> {
      let power: Int128 = 1 << bits
      numbers.append(Int128.random(in: 0...power, using: &random))
      guard bits >= 54 else { continue }
      // Halves between two doubles, and their neighbours.
      let half: Int128 = 1 << (bits - 53)
      for number in [power + half, power + 3 * half] { numbers += [number - 1, number, number + 1] }
    }
    for number in numbers { #expect(Double(nearestTo: number) == Double(number), "\(number)") }
  }

  @Test func `one amount is one range`() {
    let counts = AmountCounts([5, 5, 5]) { _ in 1 }
    #expect(counts.best(ranges: 64).isEmpty)
    #expect(counts.equalFrequency(ranges: 64) == [5])
    #expect(AmountCounts([]) { _ in 1 }.best(ranges: 64).isEmpty)
  }

  @Test func `amounts far apart are spread up to the greatest that is read`() {
    let counts = AmountCounts([10_000, 999_999_999_000_000]) { _ in 1 }.expected
    #expect(counts.best(ranges: 2).allSatisfy { $0 > 0 && $0 <= FittingEvent.largestAmount })
  }
}

@Suite struct LadderTests {
  @Test(arguments: [
    (0, 990_000, 500_000), (4_990_000, 9_990_000, 7_000_000), (1_000_000, 1_000_001, 1_000_001), (9, 11, 10),
    (99_990_000, 149_990_000, 120_000_000), (0, 1, 1),
  ])
  func `a cut has few digits and is between its neighbours`(low: Int64, high: Int64, cut: Int64) {
    #expect(CutPlace.between(low, high) == cut)
  }

  @Test func `each amount is in the range whose limits contain it`() {
    let ladder: Ladder = [10, 20, 40]
    for amount in Int64(0)...50 {
      let (least, below) = ladder.limits(ladder.range(of: amount))
      #expect(amount >= least && below.map { amount < $0 } ?? true)
    }
  }

  @Test func `ranges of equal frequency have as many paying users`() {
    let amounts = (0..<1000).map { Int64($0 < 370 ? 0 : $0) }
    let ladder = AmountCounts(amounts) { _ in 1 }.equalFrequency(ranges: 64)
    #expect(ladder.count == 63 && ladder.first == 370)
    let paying = amounts.filter { $0 > 0 }
    #expect((1...63).allSatisfy { range in paying.count { ladder.range(of: $0) == range } == 10 })
  }

  @Test func `log-spaced ranges have a constant ratio`() {
    let ladder = AmountCounts([0, 1_000_000, 8_000_000]) { _ in 1 }.logarithmic(ranges: 4)
    #expect(ladder == [1_000_000, 2_000_000, 4_000_000])
  }
}

@Suite struct ExpectedAmountTests {
  @Test func `amounts of several users stay as they are`() {
    let counts = AmountCounts([0, 5, 5, 7, 7, 7]) { _ in 1 }
    #expect(counts.expected.amounts == [0, 5, 7])
    #expect(counts.expected.weights == counts.weights)
  }

  @Test func `an amount of one user is spread around it, in steps of the currency, and weights keep their shares`() {
    let amounts: [Int64] = [0, 0, 990_000, 990_000, 4_990_000, 49_990_000]
    let counts = AmountCounts(amounts) { $0 == 0 ? 1000 : 1 }
    let expected = counts.expected
    let (sum, before) = (expected.weights.reduce(0, +), counts.weights.reduce(0, +))
    #expect(sum == 8 * before)
    #expect(expected.amounts.allSatisfy { $0 % 10_000 == 0 })
    #expect(expected.amounts.first == 0 && expected.weights.first == 8 * 1001)
    #expect(expected.amounts.firstIndex(of: 990_000).map { expected.weights[$0] >= 16 } == true)
    #expect(expected.amounts.contains { $0 > 4_990_000 && $0 < 49_990_000 })
    #expect(expected.amounts.last.map { $0 > 49_990_000 } == true)
  }

  @Test func `gaps between amounts get ranges of their own, and worths in them`() {
    let amounts = (0..<400).map { Int64($0) * Int64($0) * 370_000 }
    let ladders = Spacing.fitted.ladders(amounts, sets: [], setCount: 1, hasFine: true, power: 1) { _ in 1 }
    #expect(ladders.fineValueCount == 64)
    for value in 0..<64 {
      let (_, least, below) = ladders.meaning(fine: value)
      #expect(ladders.fineWorths[value] >= least && below.map { ladders.fineWorths[value] < $0 } ?? true)
    }
  }

  @Test func `of two sets of events with the same amounts the one with more users gets more values`() {
    // The amounts of set 0 are of two users each and stay; those of set 1 are of one user each and are spread.
    let own = (1...300).map { Int64($0) * 130_000 }
    let amounts = own + own + own
    let sets = own.map { _ in UInt8(0) } + own.map { _ in UInt8(0) } + own.map { _ in UInt8(1) }
    let ladders = Spacing.fitted.ladders(amounts, sets: sets, setCount: 2, hasFine: true, power: 1) { _ in 1 }
    #expect(ladders.fineValueCount == 64)
    #expect(ladders.fine[0].count > ladders.fine[1].count && ladders.fine[1].count > 16)
  }
}
