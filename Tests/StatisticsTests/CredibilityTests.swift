import Testing

@testable import Statistics

/// Hachemeister's bodily injury claims (1975): 5 states, 12 quarters; printed by many textbooks, and a data set of the R
/// package `actuar`, whose function `cm` gives the reference numbers.
@Suite struct `Credibility of Hachemeister's states` {
  private static let ratios: [[Double]] = [
    [1738, 1642, 1794, 2051, 2079, 2234, 2032, 2035, 2115, 2262, 2267, 2517],
    [1364, 1408, 1597, 1444, 1342, 1675, 1470, 1448, 1464, 1831, 1612, 1471],
    [1759, 1685, 1479, 1763, 1674, 2103, 1502, 1622, 1828, 2155, 2233, 2059],
    [1223, 1146, 1010, 1257, 1426, 1532, 1953, 1123, 1343, 1243, 1762, 1306],
    [1456, 1499, 1609, 1741, 1482, 1572, 1606, 1735, 1607, 1573, 1613, 1690],
  ]
  private static let claims: [[Double]] = [
    [7861, 9251, 8706, 8575, 7917, 8263, 9456, 8003, 7365, 7832, 7849, 9077],
    [1622, 1742, 1523, 1515, 1622, 1602, 1964, 1515, 1527, 1748, 1654, 1861],
    [1147, 1357, 1329, 1204, 998, 1077, 1277, 1218, 896, 1003, 1108, 1121],
    [407, 396, 348, 341, 315, 328, 352, 331, 287, 384, 321, 342],
    [2902, 3172, 3046, 3068, 2693, 2910, 3275, 2697, 2663, 3017, 3242, 3425],
  ]

  private static func strata(_ weights: [[Double]]) -> [Credibility.Stratum] {
    zip(ratios, weights).map { values, weights in
      let weight = weights.reduce(0, +)
      let mean = zip(values, weights).reduce(0) { $0 + $1.0 * $1.1 } / weight
      let squares = zip(values, weights).reduce(0) { $0 + $1.1 * ($1.0 - mean) * ($1.0 - mean) }
      return .init(weight: weight, mean: mean, squares: squares, observations: values.count)
    }
  }

  @Test func `with equal weights it is the published one`() throws {
    let equal = Self.ratios.map { $0.map { _ in 1.0 } }
    let credibility = try #require(Credibility(Self.strata(equal)))
    #expect(abs(credibility.collective - 1671.0167) < 5e-5)
    #expect(abs(credibility.between - 72310.0246) < 5e-4)
    #expect(abs(credibility.within - 46040.4712) < 5e-4)
  }

  @Test func `weighted with claims it is the published one`() throws {
    let credibility = try #require(Credibility(Self.strata(Self.claims)))
    #expect(abs(credibility.within - 139_120_026) < 1)
    #expect(abs(credibility.between - 89638.726) < 5e-3)
    #expect(abs(credibility.collective - 1683.713) < 5e-4)
    for (factor, published) in zip(credibility.factors, [0.98474, 0.92764, 0.89848, 0.72791, 0.95879]) {
      #expect(abs(factor - published) < 5e-6)
    }
    for (premium, published) in zip(credibility.premiums, [2055.165, 1523.706, 1793.444, 1442.967, 1603.285]) {
      #expect(abs(premium - published) < 5e-4)
    }
  }

  @Test func `one stratum, or no more observations than strata, has none`() {
    let stratum = Credibility.Stratum(weight: 4, mean: 1, squares: 2, observations: 4)
    #expect(Credibility([stratum]) == nil)
    let single = Credibility.Stratum(weight: 1, mean: 1, squares: 0, observations: 1)
    #expect(Credibility([single, single]) == nil)
  }
}
