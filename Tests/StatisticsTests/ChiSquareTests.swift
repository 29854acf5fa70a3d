import Testing

@testable import Statistics

@Suite struct `Pearson's chi-square test` {
  /// Critical values of the chi-square distribution from printed tables, to three decimals.
  @Test(arguments: [
    (1, 3.841, 0.05), (1, 6.635, 0.01), (2, 5.991, 0.05), (10, 18.307, 0.05), (10, 3.940, 0.95), (30, 50.892, 0.01),
    (63, 82.529, 0.05), (100, 149.449, 0.001),
  ])
  func `has the p-values of printed tables`(_ degrees: Int, _ statistic: Double, _ probability: Double) {
    #expect(abs(ChiSquare.tail(of: statistic, degreesOfFreedom: degrees) - probability) < 0.0002)
  }

  /// Values of mpmath 1.3 with 60 digits.
  @Test(arguments: [
    (1, 0.001, 9.74772879369960388e-1), (1, 3.841, 5.00136837639566991e-2), (1, 60.0, 9.48573757107384839e-15),
    (2, 5.991, 5.00116150265790896e-2), (3, 0.02, 9.99252244660608802e-1), (5, 11.07, 5.00096186224054822e-2),
    (10, 18.307, 5.00005890913981203e-2), (10, 250.0, 5.42783396096928122e-48), (63, 40.0, 9.89521767463292609e-1),
    (63, 82.529, 4.99978990260342349e-2), (63, 700.0, 2.90325509587484474e-108),
    (100, 149.449, 1.00004622177324895e-3), (1001, 900.0, 9.89910382684465694e-1),
    (1001, 1150.5, 6.80552297948642686e-4), (20000, 20500.0, 6.51786348834255894e-3),
  ])
  func `has p-values that are exact to twelve digits`(_ degrees: Int, _ statistic: Double, _ exact: Double) {
    let tail = ChiSquare.tail(of: statistic, degreesOfFreedom: degrees)
    #expect(abs(tail - exact) <= 1e-12 * exact, "\(tail)")
  }

  @Test func `has p-values that decrease, and stay between 0 and 1`() {
    for degrees in 1...80 {
      var before = 1.0
      for step in 0..<400 {
        let tail = ChiSquare.tail(of: Double(step), degreesOfFreedom: degrees)
        #expect((0...1).contains(tail) && tail <= before + 1e-14, "\(degrees) \(step)")
        before = tail
      }
    }
    for degrees in [1, 63] { #expect(ChiSquare.tail(of: 2e9, degreesOfFreedom: degrees) == 0) }
    #expect(ChiSquare.tail(of: 0, degreesOfFreedom: 1) == 1)
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
