internal import Base
internal import ConversionModel

/// The true totals of campaign traffic, by day, conversion window, campaign and country.
package struct TrueTotals: Sendable {
  /// The day by which rows are summed. The raw values are those of the file.
  enum DateType: String, CaseIterable, Sendable {
    /// The day of the conversion, which no postback tells. Includes users whose postbacks Apple did not send.
    case install
    /// The day of the estimated time of the conversion, by the copy whose value counts.
    case estimatedInstall = "estimated_install"
    /// The day on which the first copy arrived.
    case received
  }

  /// A row of the file.
  struct Key: Hashable, Comparable, Sendable {
    let dateType: DateType
    let window: UInt8
    let country: UInt8
    /// The day, as a number of days since 1970.
    let day: Int32
    let campaign: Int32

    static func < (left: Key, right: Key) -> Bool {
      if left.dateType != right.dateType { return left.dateType.rawValue < right.dateType.rawValue }
      return (left.day, left.window, left.campaign, left.country)
        < (right.day, right.window, right.campaign, right.country)
    }
  }

  /// The totals of a row.
  struct Row: Sendable {
    var counts = Counts()
    /// The revenue of all users, also of those whose value Apple left out.
    var revenue = Amount.zero
    /// The revenue that the values in the postbacks mean.
    var observedRevenue = Amount.zero
    /// The revenue of users whose postbacks have no value.
    var nullRevenue = Amount.zero
    /// The revenue of users without a postback of the window.
    var unsentRevenue = Amount.zero
    /// The cost in hundredths; nil if none is reported.
    var cents: Int?
  }

  /// The counts of a row. The names are those of the file.
  enum Count: String, CaseIterable, Sendable {
    case postbacks, installs, redownloads, reengagements, assists
    case fineValues = "fine_values"
    case coarseLow = "coarse_low"
    case coarseMedium = "coarse_medium"
    case coarseHigh = "coarse_high"
    case nulls
    case nullsTier0 = "nulls_tier_0"
    case nullsTier1 = "nulls_tier_1"
    case nullsTier2 = "nulls_tier_2"
    case nullsTier3 = "nulls_tier_3"
    case ambiguousZeros = "ambiguous_zeros"
    case noValuePossible = "no_value_possible"
    case unsent
  }

  /// The counts of a row, in the row itself, because there may be millions of rows.
  struct Counts: Sendable {
    fileprivate var values = InlineArray<17, Int32>(repeating: 0)

    subscript(count: Count) -> Int32 {
      get { values[Self.place(of: count)] }
      set { values[Self.place(of: count)] = newValue }
    }

    private static func place(of count: Count) -> Int { Count.allCases.firstIndex(of: count) ?? 0 }
  }

  private(set) var rows: [Key: Row] = [:]

  /// Totals of nothing.
  package init() {}

  /// Adds other totals.
  package mutating func add(_ other: TrueTotals) {
    for (key, row) in other.rows {
      rows[key, default: Row()].add(row)
    }
  }

  /// Adds the cost of a cell, in hundredths.
  mutating func add(cents: Int, _ cell: CampaignCell, in traffic: CampaignTraffic) {
    let key = Self.key(.install, cell, 0, at: traffic.start(ofDay: cell.day))
    rows[key, default: Row()].cents = cents
  }

  /// Adds the revenue of all windows of a conversion to the day of the conversion.
  mutating func add(_ conversion: Conversion, in traffic: CampaignTraffic) {
    guard conversion.isWin else { return }
    for (window, value) in conversion.values.enumerated() {
      guard let value else { continue }
      let key = Self.key(.install, conversion.cell, window, at: conversion.time)
      rows[key, default: Row()].revenue += value.revenue
      guard !conversion.sends(window: window) else { continue }
      rows[key, default: Row()].unsentRevenue += value.revenue
      rows[key, default: Row()].counts[.unsent] += 1
    }
  }

  /// Adds a postback. `first` is the line of its first copy.
  mutating func add(_ postback: SentPostback, writtenAs first: LinePlan, in traffic: CampaignTraffic) {
    let (conversion, window) = (postback.conversion, postback.window)
    let direct = postback.copies.first { $0.forwarder == nil }
    let deciding = direct?.value ?? first.draft.sentValue
    let firstAt = postback.copies[0].receivedAt
    let decoded = traffic.decode(deciding, of: conversion, window: window, receivedAt: direct?.receivedAt ?? firstAt)

    var row = Row()
    row.counts[.postbacks] = 1
    if conversion.isWin {
      if window == 0 { row.counts[Self.count(of: conversion.kind)] = 1 }
      let network = traffic.plan.networks[traffic.plan.campaigns[conversion.cell.campaign].network]
      let mayBeNull = window == 0 && direct == nil && (network.writesNullAsZero || first.kind == .zeroFilled)
      row.observedRevenue = decoded.revenue ?? .zero
      if !conversion.format.hasConversionValue {
        row.counts[.noValuePossible] = 1
      } else if deciding.isNull {
        row.counts[.nulls] = 1
        row.counts[[.nullsTier0, .nullsTier1, .nullsTier2, .nullsTier3][conversion.tier]] = 1
        row.nullRevenue = conversion.values[window]?.revenue ?? .zero
      } else if deciding.fine == 0, mayBeNull {
        row.counts[.ambiguousZeros] = 1
      } else if deciding.fine != nil {
        row.counts[.fineValues] = 1
      } else {
        row.counts[[.coarseLow, .coarseMedium, .coarseHigh][deciding.coarse?.rank ?? 0]] = 1
      }
    } else {
      row.counts[.assists] = 1
    }
    rows[Self.key(.install, conversion.cell, window, at: conversion.time), default: Row()].add(row)
    row.revenue = conversion.isWin ? conversion.values[window]?.revenue ?? .zero : .zero
    rows[Self.key(.received, conversion.cell, window, at: firstAt), default: Row()].add(row)
    if let time = decoded.conversionTime {
      rows[Self.key(.estimatedInstall, conversion.cell, window, at: time), default: Row()].add(row)
    }
  }

  private static func count(of kind: Conversion.Kind) -> Count {
    switch kind {
    case .install: .installs
    case .redownload: .redownloads
    case .reEngagement: .reengagements
    }
  }

  private static func key(_ dateType: DateType, _ cell: CampaignCell, _ window: Int, at time: Int64) -> Key {
    Key(
      dateType: dateType,
      window: UInt8(window),
      country: UInt8(cell.country),
      day: Int32(Timestamp(milliseconds: time).daysSince1970),
      campaign: Int32(cell.campaign)
    )
  }
}

extension TrueTotals.Row {
  fileprivate mutating func add(_ other: Self) {
    for place in counts.values.indices { counts.values[place] += other.counts.values[place] }
    revenue += other.revenue
    observedRevenue += other.observedRevenue
    nullRevenue += other.nullRevenue
    unsentRevenue += other.unsentRevenue
    if let more = other.cents { cents = (cents ?? 0) + more }
  }
}
