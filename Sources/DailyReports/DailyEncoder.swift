internal import Base
internal import ConversionModel
internal import NullValueModelling
internal import Statistics
internal import Tables

/// Encodes the rows of `skan_daily`, `skan_daily_events` and `skan_daily_values`.
struct DailyEncoder: ~Copyable {
  private var daily: RowEncoder
  private var events: RowEncoder
  private var values: RowEncoder
  private let writesValues: Bool
  private let dimensions: String
  private let modelling: DailyModelling
  private let asOf: Timestamp?

  init(
    _ encoding: TableEncoding,
    _ dimensions: Set<DailyDimension>,
    _ modelling: DailyModelling,
    asOf: Timestamp?,
    writesValues: Bool
  ) {
    self.modelling = modelling
    daily = RowEncoder(.daily, encoding)
    events = RowEncoder(.dailyEvents, encoding)
    values = RowEncoder(.dailyValues, encoding)
    self.dimensions = DailyDimension.text(dimensions)
    self.asOf = asOf
    self.writesValues = writesValues
  }

  /// Takes the rows so far of `skan_daily`, `skan_daily_events` and `skan_daily_values`.
  mutating func take() -> (daily: EncodedRows, events: EncodedRows, values: EncodedRows) {
    (daily.take(), events.take(), values.take())
  }

  /// Encodes a row.
  mutating func encode(_ row: DailyRow) {
    Self.encodeKey(row, dimensions, &daily)
    encodeCounts(row.metrics, isFirstWindow: row.group.window == 0)
    let modelled = modelling.revenue(of: row)
    encodeRevenue(row.metrics, otherwise: row.allWindows?.single?.currency ?? modelled?.currency)
    let isSettled = row.metrics.settled > 0
    daily.integer(.conflicts, isSettled ? Int64(row.metrics.conflicts) : nil)
    daily.integer(.directConfirmed, isSettled ? Int64(row.metrics.directConfirmed) : nil)
    let single = row.metrics.revenue.count == 1 ? row.metrics.revenue.first : nil
    daily.amount(.confirmedRevenue, isSettled ? single?.value.confirmed : nil)
    let suspicions = row.metrics.suspicions.sorted().joined(separator: "; ")
    daily.text(.valueSuspicions, suspicions.isEmpty ? nil : suspicions)
    daily.amount(.modelledRevenue, modelled?.number.value)
    daily.amount(.modelledRevenueLow, modelled?.number.low)
    daily.amount(.modelledRevenueHigh, modelled?.number.high)
    if let status = modelled?.status {
      daily.word(.modelledStatus, status.word)
    } else {
      daily.null(.modelledStatus)
    }
    encodeCost(row)
    encodeCompleteness(row)
    daily.endRow()
    encodeEvents(row, isModelled: modelled?.number.value != nil)
    if writesValues { encodeValues(row) }
  }

  /// Encodes the columns that identify a row of the daily tables.
  static func encodeKey(_ row: DailyRow, _ dimensions: String, _ encoder: inout RowEncoder) {
    encoder.word(.dateType, row.group.dateType.rawValue)
    encoder.date(.date, row.group.day)
    encoder.integer(.postbackSequenceIndex, Int64(row.group.window))
    encoder.text(.dimensions, dimensions)
    for dimension in DailyDimension.allCases {
      let value = row.group[dimension]
      if dimension.isNumber {
        encoder.integer(dimension.column, value.flatMap { Int64($0) })
      } else if dimension == .redownload {
        encoder.boolean(dimension.column, value.map { $0 == "true" })
      } else {
        encoder.text(dimension.column, value)
      }
      guard let name = dimension.name else { continue }
      let text = row.names[name.rawValue]
      if let text, name == .networkStatus {
        encoder.word(name.column, text)
      } else {
        encoder.text(name.column, text)
      }
    }
  }

  private mutating func encodeCounts(_ metrics: DailyMetrics, isFirstWindow: Bool) {
    func first(_ count: Int) -> Int64? { isFirstWindow ? Int64(count) : nil }
    daily.integer(.postbacks, Int64(metrics.postbacks))
    daily.integer(.postbacksWon, Int64(metrics.won))
    daily.integer(.installs, first(metrics.installs))
    daily.integer(.redownloads, first(metrics.redownloads))
    daily.integer(.reengagements, first(metrics.reengagements))
    daily.integer(.conversions, first(metrics.conversions))
    daily.integer(.installsClick, first(metrics.clickInstalls))
    daily.integer(.installsView, first(metrics.viewInstalls))
    let unknown = metrics.installs - metrics.clickInstalls - metrics.viewInstalls
    daily.integer(.installsInteractionUnknown, first(unknown))
    daily.integer(.assists, Int64(metrics.assists))
    daily.integer(.web, Int64(metrics.web))
    daily.integer(.fineValues, Int64(metrics.fine))
    for (column, count) in zip([.coarseLow, .coarseMedium, .coarseHigh] as [ColumnName], metrics.coarseValues) {
      daily.integer(column, Int64(count))
    }
    daily.integer(.nulls, Int64(metrics.nulls))
    daily.integer(.noValuePossible, Int64(metrics.noValuePossible))
    daily.integer(.ambiguousZeros, Int64(metrics.ambiguousZeros))
    daily.integer(.values, Int64(metrics.values))
    daily.amount(.nullRate, .quotient(Amount(metrics.nulls), by: Amount(metrics.values + metrics.nulls)))
    let bounds = WilsonRate(metrics.nulls, of: metrics.values + metrics.nulls).bounds
    daily.amount(.nullRateLow, bounds?.low)
    daily.amount(.nullRateHigh, bounds?.high)
    daily.integer(.valueZero, Int64(metrics.zeros))
    daily.integer(.valuePositive, Int64(metrics.fine - metrics.zeros))
    daily.integer(.valueSum, Int64(metrics.valueSum))
    daily.integer(.decoded, Int64(metrics.decoded))
    daily.integer(.unmapped, Int64(metrics.unmapped))
    daily.integer(.noModel, Int64(metrics.noModel))
    daily.integer(.ambiguous, Int64(metrics.ambiguous))
    daily.integer(.undecoded, Int64(metrics.undecoded))
  }

  /// Encodes the revenue. Without any, the currency is that of the other amounts of the row.
  private mutating func encodeRevenue(_ metrics: DailyMetrics, otherwise currency: String?) {
    let revenue = metrics.singleRevenue?.revenue
    daily.amount(.revenue, revenue?.estimate)
    daily.amount(.revenueMin, revenue?.minimum)
    daily.amount(.revenueMax, revenue?.maximum)
    daily.text(.currency, metrics.singleRevenue?.currency ?? currency)
    daily.integer(.unconvertedRows, Int64(metrics.unconverted))
    daily.integer(.revenueMaxOpen, Int64(metrics.revenue.values.reduce(0) { $0 + $1.openEnded }))
    daily.amount(.revenueMaxClosed, revenue?.closedMaximum)
    func part(_ kind: RevenueKind) -> Amount? { revenue.map { $0.byKind[kind] ?? .zero } }
    daily.amount(.revenueInAppPurchases, part(.inAppPurchases))
    daily.amount(.revenueAdMonetization, part(.adMonetization))
    daily.amount(.revenueAll, part(.all))
    Self.encode(metrics.revenue.mapValues(\.estimate), unless: revenue != nil, .revenueByCurrency, &daily)
  }

  /// Encodes amounts by currency, unless there is one amount that is in a column of its own.
  private static func encode(
    _ amounts: [String: Amount],
    unless isSingle: Bool,
    _ column: ColumnName,
    _ encoder: inout RowEncoder
  ) {
    guard !isSingle, !amounts.isEmpty else { return encoder.null(column) }
    let members = amounts.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    encoder.json(column, Array("{\(members.joined(separator: ","))}".utf8).span)
  }

  private mutating func encodeCost(_ row: DailyRow) {
    let single = row.cost?.single
    daily.amount(.cost, single?.cost)
    daily.text(.costCurrency, single?.currency)
    Self.encode(row.cost?.amounts ?? [:], unless: single != nil, .costByCurrency, &daily)
    daily.word(.costLevel, row.cost?.level.rawValue)
    daily.integer(.impressions, row.cost?.counts.impressions)
    daily.integer(.clicks, row.cost?.counts.clicks)
    daily.integer(.networkInstalls, row.cost?.counts.networkInstalls)
    let ratios = CostRatios(CostRatios.Parts(row))
    daily.amount(.ecpi, ratios.ecpi)
    daily.amount(.roas, ratios.roas)
    daily.amount(.roasMin, ratios.roasMin)
    daily.amount(.roasMax, ratios.roasMax)
    daily.amount(.roasMaxClosed, ratios.roasMaxClosed)
    daily.amount(.roasScaled, ratios.roasScaled)
    daily.amount(.roasScaledConversions, ratios.roasScaledConversions)
    daily.amount(.rpu, ratios.rpu)
    daily.amount(.roi, ratios.roi)
    // A later window alone may be in another currency than the first one.
    let allWindows = row.allWindows?.single
    let isOfCurrency = row.metrics.revenue.keys.allSatisfy { $0 == allWindows?.currency }
    daily.amount(.revenueAllWindows, isOfCurrency ? allWindows?.revenue : nil)
    daily.word(.revenueBasis, row.allWindows?.basis?.rawValue)
  }

  private mutating func encodeCompleteness(_ row: DailyRow) {
    daily.time(.asOf, asOf)
    let completeness = asOf.flatMap { Completeness(row, asOf: $0) }
    daily.word(.status, completeness?.status.rawValue)
    daily.amount(.expectedShare, completeness?.status == .open ? completeness?.expectedShare : nil)
  }

  private mutating func encodeEvents(_ row: DailyRow, isModelled: Bool) {
    for (name, sums) in row.events.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      Self.encodeKey(row, dimensions, &events)
      events.text(.eventName, name)
      events.integer(.postbacksWithEvent, Int64(sums.postbacks))
      events.amount(.eventCount, sums.count)
      events.integer(.minEventCount, sums.minimum)
      events.integer(.maxEventCount, sums.maximum)
      let single = sums.unconverted == 0 && sums.revenue.count == 1 ? sums.revenue.first : nil
      events.amount(.revenue, single?.value.estimate)
      events.amount(.revenueMin, single?.value.minimum)
      events.amount(.revenueMax, single?.value.maximum)
      events.text(.currency, single?.key)
      Self.encode(sums.revenue.mapValues(\.estimate), unless: single != nil, .revenueByCurrency, &events)
      let modelled = isModelled ? modelling.postbacks(with: name, observed: sums.postbacks, of: row) : nil
      events.amount(.modelledPostbacks, modelled?.value)
      events.amount(.modelledPostbacksLow, modelled?.low)
      events.amount(.modelledPostbacksHigh, modelled?.high)
      let ratios = EventRatios(events: sums.count, CostRatios.Parts(row))
      events.amount(.eventECPA, ratios.ecpa)
      events.amount(.eventECR, ratios.ecr)
      events.endRow()
    }
  }

  private mutating func encodeValues(_ row: DailyRow) {
    let fine = row.metrics.fineValues.enumerated().map { ("\($0.offset)", $0.element) }
    let coarse = zip(["low", "medium", "high"], row.metrics.coarseValues)
    for (value, count) in fine + coarse where count > 0 {
      Self.encodeKey(row, dimensions, &values)
      values.text(.value, value)
      values.integer(.count, Int64(count))
      values.endRow()
    }
  }
}
