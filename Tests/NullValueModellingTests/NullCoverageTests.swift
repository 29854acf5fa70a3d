import TestSupport
import Testing

@testable import NullValueModelling
@testable import Statistics

/// Campaigns whose true values are known: the model has to say how often its intervals hold the truth.
@Suite struct `Coverage of the intervals for null postbacks` {
  /// The amount of each value: no purchase, then seven buckets.
  private static let amounts: [Double] = [0, 1, 5, 10, 20, 40, 80, 150]
  /// The share of each bucket among payers.
  private static let payers: [Double] = [0, 0.30, 0.25, 0.18, 0.12, 0.08, 0.05, 0.02]

  /// One campaign, with the revenue of its null postbacks, which only the simulation knows.
  private struct Campaign {
    var stratum = NullStratum(counts: [Int](repeating: 0, count: amounts.count), nulls: 0)
    var truth = 0.0

    init(installs: Int, payerRate: Double, nullRate: Double, odds: Double, _ random: inout SplitMix) {
      let payersNullRate = odds * nullRate / (1 - nullRate + odds * nullRate)
      for _ in 0..<installs {
        let isPayer = Double.random(in: 0..<1, using: &random) < payerRate
        var value = 0
        if isPayer {
          var rest = Double.random(in: 0..<1, using: &random)
          value =
            payers.firstIndex { share in
              rest -= share
              return rest < 0
            } ?? payers.count - 1
        }
        if Double.random(in: 0..<1, using: &random) < (isPayer ? payersNullRate : nullRate) {
          stratum.nulls += 1
          truth += amounts[value]
        } else {
          stratum.counts[value] += 1
        }
      }
    }
  }

  /// The shares of intervals that hold the truth, for single campaigns and for the sum of all.
  private struct Coverage {
    var (cells, covered) = (0, 0)
    var (totals, coveredTotals) = (0, 0)

    var cell: Double { Double(covered) / Double(cells) }
    var total: Double { Double(coveredTotals) / Double(totals) }

    mutating func add(_ campaigns: [Campaign]) throws {
      var counts = StratumCounts(by: .all)
      for (number, campaign) in campaigns.enumerated() {
        counts.add(
          .campaign(number),
          campaign.stratum.counts.map { Int($0) },
          worth: `Coverage of the intervals for null postbacks`.amounts.map { Int($0) },
          nulls: campaign.stratum.nulls
        )
      }
      let rows = NullModelling(counts, ModelMeanings([])).rows
      for row in rows where row.nulls > 0 {
        let interval = try #require(row.interval)
        let truth: Double
        if case .source(let number) = row.identifier {
          truth = campaigns[number].truth
        } else {
          truth = campaigns.reduce(0) { $0 + $1.truth }
        }
        let isCovered = interval.low <= truth && truth <= interval.high
        if row.scope == .total {
          totals += 1
          coveredTotals += isCovered ? 1 : 0
        } else {
          cells += 1
          covered += isCovered ? 1 : 0
        }
      }
    }
  }

  /// Simulates 150 reports on 20 campaigns each, whose share of payers differs from campaign to campaign.
  private func coverage(payersOddsOfNull odds: Double) throws -> Coverage {
    var random = SplitMix(seed: 20_261_122)
    var coverage = Coverage()
    for _ in 0..<150 {
      try coverage.add(
        (0..<20).map { _ in
          // A triangle around 10 %, with a standard deviation of 4.1 points.
          let rate = 0.05 * (Double.random(in: 0..<2, using: &random) + Double.random(in: 0..<2, using: &random))
          let installs = Int.random(in: 30...400, using: &random)
          return Campaign(installs: installs, payerRate: rate, nullRate: 0.2, odds: odds, &random)
        }
      )
    }
    return coverage
  }

  @Test func `is as stated where values are missing at random within a campaign`() throws {
    let coverage = try coverage(payersOddsOfNull: 1)
    #expect(coverage.cells >= 2000)
    #expect((0.93...0.99).contains(coverage.cell), "\(coverage.cell)")
    #expect((0.90...0.995).contains(coverage.total), "\(coverage.total)")
  }

  @Test func `fails for the sum where payers lose their value more often: the assumption is one`() throws {
    let coverage = try coverage(payersOddsOfNull: 3)
    #expect(coverage.total < 0.6, "\(coverage.total)")
  }
}
