import Testing

@testable import Statistics

@Suite struct `A comparison of campaigns` {
  private func campaigns(_ means: [Double], count: Int = 100) -> [CampaignMean] {
    means.map { CampaignMean(mean: $0, variance: 0.1, count: count) }
  }

  @Test func `campaigns that differ as much from each other as from others' raise no alarm`() throws {
    let own = campaigns([0.4, 0.1, 0.5])
    let others = campaigns([0.2, 0.0, 0.5, 0.1, 0.4, 0.3])
    #expect(try #require(CampaignContrast(own, against: others, level: 0.05)).pValue > 0.2)
    #expect(try #require(CampaignContrast(others, against: own, level: 0.05)).pValue > 0.2)
  }

  @Test func `campaigns that are all higher than others' are found`() throws {
    let own = campaigns([0.8, 0.82, 0.78, 0.85, 0.81])
    let others = campaigns([0.2, 0.15, 0.25, 0.1, 0.3, 0.2])
    let contrast = try #require(CampaignContrast(own, against: others, level: 0.05))
    #expect(contrast.pValue < 1e-5)
    #expect(!contrast.isPermutation)
    #expect(abs(contrast.difference - 0.612) < 0.01)
    #expect(try #require(CampaignContrast(others, against: own, level: 0.05)).pValue > 0.999)
  }

  @Test func `few campaigns are compared with all divisions of them`() throws {
    let own = campaigns([0.8, 0.82])
    let others = campaigns([0.2, 0.15, 0.25, 0.1, 0.3, 0.2])
    let contrast = try #require(CampaignContrast(own, against: others, level: 0.05))
    #expect(contrast.isPermutation)
    // One of the 28 pairs of eight campaigns has so high values.
    #expect(abs(contrast.pValue - 1.0 / 28) < 1e-12)
  }

  @Test func `too few campaigns to be significant are not compared`() {
    #expect(CampaignContrast(campaigns([1]), against: campaigns([0, 0, 0]), level: 0.05) == nil)
    #expect(CampaignContrast(campaigns([1, 1]), against: campaigns([0, 0]), level: 0.05) == nil)
    // One of ten divisions is no certainty.
    #expect(CampaignContrast(campaigns([1, 1]), against: campaigns([0, 0, 0]), level: 0.05) == nil)
  }
}
