import Testing

@testable import Statistics

@Suite struct `Pearson's chi-square test` {
  /// Critical values of the chi-square distribution from printed tables, to three decimals.
  @Test(arguments: [
    (1, 3.841, 0.05), (1, 6.635, 0.01), (2, 5.991, 0.05), (10, 18.307, 0.05), (10, 3.940, 0.95), (30, 50.892, 0.01),
    (63, 82.529, 0.05), (100, 149.449, 0.001),
  ])
  func `has the p-values of printed tables`(_ degrees: Int, _ statistic: Double, _ probability: Double) {
    #expect(abs(upperGamma(Double(degrees) / 2, statistic / 2) - probability) < 0.0002)
  }

  @Test func `equals the exponential function for two degrees of freedom`() {
    for step in 0..<2000 {
      let x = Double(step) / 8
      let exact = exponential(-x)
      #expect(abs(upperGamma(1, x) - exact) <= 1e-9 * exact, "\(x)")
    }
  }

  @Test func `decreases, and stays between 0 and 1`() {
    for a in stride(from: 0.5, through: 40, by: 0.5) {
      var before = 1.0
      for step in 0..<400 {
        let value = upperGamma(a, Double(step) / 2)
        #expect((0...1).contains(value) && value <= before + 1e-14, "\(a) \(step)")
        before = value
      }
    }
    #expect(upperGamma(0.5, 1e9) == 0)
    #expect(upperGamma(31.5, 1e9) == 0)
  }

  @Test func `agrees with a manual calculation`() throws {
    // 2 × 2: expected 30 30 / 20 20, each off by 10: 100/30 + 100/30 + 100/20 + 100/20 = 50/3.
    let test = try #require(ChiSquare([40, 10], against: [20, 30]))
    #expect(abs(test.statistic - 50.0 / 3) < 1e-9)
    #expect(test.degreesOfFreedom == 1)
    #expect(test.sampleSize == 100)
    #expect(abs(test.cramersV - (50.0 / 3 / 100).squareRoot()) < 1e-12)
    #expect(abs(test.pValue - 0.0000445) < 1e-6)
  }

  @Test func `pools bins with a small expected count, and needs two bins`() throws {
    let test = try #require(ChiSquare([50, 50, 1, 1, 1, 1, 1, 1], against: [500, 500, 10, 10, 10, 10, 10, 10]))
    #expect(test.degreesOfFreedom == 2)
    #expect(abs(test.statistic) < 1e-9)
    #expect(ChiSquare([3, 1], against: [500, 500]) == nil)
    #expect(ChiSquare([100, 0], against: [100, 0]) == nil)
    #expect(ChiSquare([0, 0], against: [100, 50]) == nil)
    #expect(ChiSquare([], against: []) == nil)
  }

  @Test func `samples of one distribution rarely differ, and samples of two nearly always`() throws {
    var generator = SystemRandomNumberGenerator()
    func sample(_ count: Int, _ skew: Int) -> [Int] {
      var bins = [Int](repeating: 0, count: 16)
      for _ in 0..<count { bins[min(Int.random(in: 0..<(16 + skew), using: &generator), 15)] += 1 }
      return bins
    }
    var small = 0
    for _ in 0..<200 {
      if try #require(ChiSquare(sample(400, 0), against: sample(4000, 0))).pValue < 1e-6 { small += 1 }
      #expect(try #require(ChiSquare(sample(400, 8), against: sample(4000, 0))).pValue < 1e-6)
    }
    // A false alarm of one in a million, 200 times.
    #expect(small <= 2)
  }

  @Test func `has Holm's correction as in his example, in the order of the tests`() {
    let corrected = holmCorrected([0.01, 0.04, 0.03, 0.005])
    for (value, expected) in zip(corrected, [0.03, 0.06, 0.06, 0.02]) { #expect(abs(value - expected) < 1e-12) }
    #expect(holmCorrected([0.6, 0.9]) == [1, 1])
    #expect(holmCorrected([]) == [])
  }
}

private func exponential(_ x: Double) -> Double {
  // By squaring, so that it is not the function under test.
  var (term, sum) = (1.0, 1.0)
  let small = x / 4096
  for n in 1..<20 {
    term *= small / Double(n)
    sum += term
  }
  for _ in 0..<12 { sum *= sum }
  return sum
}
