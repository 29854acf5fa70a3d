internal import ConversionModel
internal import Statistics
package import Tables

extension NullModelling {
  /// Returns the rows of `skan_modelled`.
  package func encoded(_ encoding: TableEncoding) -> EncodedRows {
    var encoder = RowEncoder(.modelled, encoding)
    for row in rows { encode(row, &encoder) }
    return encoder.take()
  }

  private func encode(_ row: ModelledRow, _ encoder: inout RowEncoder) {
    encoder.word(.scope, row.scope.rawValue)
    encoder.integer(.appID, row.app)
    encoder.text(.networkName, row.network)
    switch row.identifier {
    case .campaign(let campaign):
      encoder.integer(.campaignID, Int64(campaign))
      encoder.null(.sourceIdentifier)
    case .source(let digits):
      encoder.null(.campaignID)
      encoder.text(.sourceIdentifier, digits < 10 ? "0\(digits)" : "\(digits)")
    case .some(.none), nil:
      encoder.null(.campaignID)
      encoder.null(.sourceIdentifier)
    }
    encoder.integer(.postbackSequenceIndex, Int64(row.window))
    encoder.date(.periodStart, row.period?.lowerBound)
    encoder.date(.periodEnd, row.period?.upperBound)
    encoder.integer(.conversions, Int64(row.conversions))
    encoder.integer(.values, Int64(row.values))
    encoder.integer(.nulls, Int64(row.nulls))
    encoder.amount(.credibility, row.credibility.flatMap(Amount.init(estimate:)))
    encoder.amount(.observedRevenue, row.observed)
    encoder.amount(.nullRevenue, row.estimate.flatMap { Amount(estimate: $0.mean) })
    encoder.amount(.nullRevenueVariance, row.estimate.flatMap { Amount(estimate: $0.variance) })
    encoder.amount(.nullRevenueLow, row.interval.flatMap { Amount(estimate: $0.low) })
    encoder.amount(.nullRevenueHigh, row.interval.flatMap { Amount(estimate: $0.high) })
    encoder.amount(.modelledRevenue, row.revenue())
    encoder.amount(.modelledRevenueLow, row.low)
    encoder.amount(.modelledRevenueHigh, row.high)
    encoder.amount(.boundLow, row.boundLow)
    encoder.amount(.boundHigh, row.boundHigh)
    encoder.text(.currency, row.currency)
    encoder.amount(.level, Amount(estimate: level))
    encoder.word(.assumption, Table.assumption)
    encoder.word(.modelStatus, row.status.word)
    encoder.amount(.modelledRevenueMin, row.limits?.least)
    encoder.amount(.modelledRevenueMax, row.limits?.most)
    encoder.amount(.modelledRevenueHalf, row.revenue(0.5))
    encoder.amount(.modelledRevenueThreeQuarters, row.revenue(0.75))
    encoder.amount(.modelledRevenueFiveQuarters, row.revenue(1.25))
    encoder.amount(.modelledRevenueThreeHalves, row.revenue(1.5))
    encoder.amount(.nullOddsLow, row.oddsLow)
    encoder.amount(.nullOddsHigh, row.oddsHigh)
    encoder.amount(.tierFactor, row.tierFactor.flatMap { Amount(estimate: $0) })
    encoder.amount(.dayFactor, row.dayFactor.flatMap { Amount(estimate: $0) })
    if let basis = row.coarseBasis { encoder.word(.coarseBasis, basis.rawValue) } else { encoder.null(.coarseBasis) }
    if let basis = row.bucketBasis { encoder.word(.bucketBasis, basis.rawValue) } else { encoder.null(.bucketBasis) }
    encoder.integer(.ambiguousZeros, Int64(row.zeros))
    encoder.endRow()
  }
}
