@testable import Reporting
import Testing

@Suite struct `Statistics of signals` {
  @Test(arguments: [
    // The lady tasting tea (Fisher 1935), and tables of R's fisher.test(alternative = "greater").
    (3, 4, 1, 4, 17.0 / 70), (4, 4, 0, 4, 1.0 / 70), (0, 10, 5, 10, 1.0), (5, 5, 5, 5, 1.0), (2, 2, 0, 1, 1.0 / 3),
  ])
  func `Fisher's test gives the known probabilities`(_ a: Int, _ n: Int, _ b: Int, _ m: Int, _ expected: Double) {
    let found = ExactTest.fisher(Rate(count: a, total: n), against: Rate(count: b, total: m))
    #expect(abs(found - expected) < 1e-12)
  }

  @Test func `Fisher's test is the sum of all larger tables`() {
    func choices(_ n: Int, _ k: Int) -> Double {
      (0..<k).reduce(1.0) { $0 * Double(n - $1) / Double($1 + 1) }
    }
    for (a, n, b, m) in [(7, 20, 3, 30), (1, 9, 1, 90), (12, 15, 8, 25), (3, 3, 2, 40)] {
      let terms = (a...min(n, a + b)).map { choices(n, $0) * choices(m, a + b - $0) / choices(n + m, a + b) }
      let found = ExactTest.fisher(Rate(count: a, total: n), against: Rate(count: b, total: m))
      #expect(abs(found - terms.reduce(0, +)) < 1e-10)
    }
  }

  @Test func `a large table has a probability that is neither 0 nor NaN`() {
    let found = ExactTest.fisher(Rate(count: 900, total: 400_000), against: Rate(count: 1100, total: 600_000))
    #expect(found > 1e-9 && found < 1e-3)
  }

  @Test func `the binomial test gives the known probabilities`() {
    #expect(abs(ExactTest.binomial(Rate(count: 5, total: 10), chance: 0.5) - 0.623_046_875) < 1e-12)
    #expect(ExactTest.binomial(Rate(count: 0, total: 10), chance: 0.01) == 1)
    #expect(abs(ExactTest.binomial(Rate(count: 10, total: 10), chance: 0.1) - 1e-10) < 1e-20)
  }

  private func campaigns(_ means: [Double], count: Int = 100) -> [CampaignMean] {
    means.map { CampaignMean(mean: $0, variance: 0.1, count: count) }
  }

  @Test func `campaigns that differ as much from each other as from others' raise no alarm`() throws {
    let own = campaigns([0.4, 0.1, 0.5])
    let others = campaigns([0.2, 0.0, 0.5, 0.1, 0.4, 0.3])
    #expect(try #require(CampaignContrast(own, against: others)).pValue > 0.2)
    #expect(try #require(CampaignContrast(others, against: own)).pValue > 0.2)
  }

  @Test func `campaigns that are all higher than others' are found`() throws {
    let own = campaigns([0.8, 0.82, 0.78, 0.85, 0.81])
    let others = campaigns([0.2, 0.15, 0.25, 0.1, 0.3, 0.2])
    let contrast = try #require(CampaignContrast(own, against: others))
    #expect(contrast.pValue < 1e-5)
    #expect(!contrast.isPermutation)
    #expect(abs(contrast.difference - 0.612) < 0.01)
    #expect(try #require(CampaignContrast(others, against: own)).pValue > 0.999)
  }

  @Test func `few campaigns are compared with all divisions of them`() throws {
    let own = campaigns([0.8, 0.82])
    let others = campaigns([0.2, 0.15, 0.25, 0.1, 0.3, 0.2])
    let contrast = try #require(CampaignContrast(own, against: others))
    #expect(contrast.isPermutation)
    // One of the 28 pairs of eight campaigns has so high values.
    #expect(abs(contrast.pValue - 1.0 / 28) < 1e-12)
  }

  @Test func `too few campaigns to be significant are not compared`() {
    #expect(CampaignContrast(campaigns([1]), against: campaigns([0, 0, 0])) == nil)
    #expect(CampaignContrast(campaigns([1, 1]), against: campaigns([0, 0])) == nil)
    // One of ten divisions is no certainty.
    #expect(CampaignContrast(campaigns([1, 1]), against: campaigns([0, 0, 0])) == nil)
  }
}
