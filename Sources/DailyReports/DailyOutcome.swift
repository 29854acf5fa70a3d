internal import ConversionModel
internal import CopySettlement
internal import JSON
internal import PostbackVerification
internal import SKAdNetwork
internal import TableReading
internal import Tables

/// The properties of a postback that decide its part in the sums of a group.
///
/// Postbacks with equal properties are counted together, so that their value and revenue are read only once.
struct DailyOutcome: Sendable {
  /// The kind of a winning postback.
  enum Conversion: Int64, Sendable {
    case install, redownload, reengagement
  }

  /// The conversion value of a winning postback.
  enum Value: Sendable, Equatable {
    case fine(Int)
    case coarse(CoarseConversionValue)
    /// There is none.
    case null
    /// A fine value of 0 that may be a null.
    case ambiguousZero
    /// The version has no value.
    case notPossible
    /// Copies have different values, and none of them counts.
    case contradicted
  }

  /// The conversion window, from 0.
  var window = 0
  var hasWon = true
  /// The kind of the conversion; nil if the postback is none.
  var conversion: Conversion?
  /// The conversion type, which AdAttributionKit signs in each window; nil in SKAdNetwork, which has none.
  var conversionType: Conversion?
  /// Indicates that the ad was viewed and not clicked; nil if that is not known.
  var isView: Bool?
  var isWeb = false
  /// Indicates that the postback names the app or the website that showed the ad.
  var hasPublisher = false
  var value = Value.null
  var status = DecodeStatus.null
  var isCumulative = false
  /// The advertised app; 0 unless decoded.
  var app: Int64 = 0
  /// The id of the model; empty unless decoded.
  var modelID = ""
  /// The version of the model; 0 unless decoded.
  var modelVersion = 0
  /// The hours after the install in which the postback is sent; nil if they are not known.
  var arrival: ArrivalHours?
  var currency: String?
  /// Indicates that the revenue could not be converted to the currency of the report.
  var isUnconverted = false
  /// The revenue of one postback; counted if there is a currency.
  var revenue = DailyRevenue()
  /// The certainty of the values; nil if copies were not compared.
  var trust: CopyAgreement?
  /// The first postback with these properties, whose events are those of all; nil unless decoded.
  var example: PostbackKey?
  /// The events of one postback.
  var events: [DailyEvent] = []

  /// Indicates that the value counts among the values of its group: in window 0 those of conversions, and later those of
  /// all winning postbacks.
  var isValued: Bool { hasWon && (window > 0 || conversion != nil) }
}

extension DailyOutcome {
  /// Reads the current row of `skan_postbacks`. `values` has the values that count, in these columns. A fine value of 0 is
  /// ambiguous if `zeroMayBeNull`.
  init(
    _ row: borrowing RowCursor,
    _ columns: PostbackColumns,
    _ values: borrowing RowCursor,
    _ valueColumns: DecidedColumns,
    zeroMayBeNull: Bool
  ) {
    window = row.integer(columns.window).map { Int(min(max($0, 0), 2)) } ?? 0
    hasWon = row.boolean(columns.didWin) ?? true
    hasPublisher = valueColumns.hasPublisher(values, row, columns)
    let isSKAdNetwork = row.has(Framework.skAdNetwork.rawValue, in: columns.framework)
    if hasWon {
      if isSKAdNetwork {
        let redownload = valueColumns.withUnsigned(\.redownload, values, row, columns) { $0.boolean($1) }
        conversion = redownload == true ? .redownload : .install
      } else {
        conversionType = row.text(columns.conversionType).flatMap(Self.conversion)
        conversion = conversionType
      }
    }
    if let type = row.integer(columns.fidelityType) { isView = type == 0 }
    if let type = values.text(valueColumns.interaction) { isView = type == AdInteractionType.view.rawValue }
    isWeb = row.cell(columns.sourceDomain).map { $0.count > 0 } ?? false
    if isSKAdNetwork, row.has(Version.v1_0.rawValue, in: columns.version) {
      value = .notPossible
    } else if let fine = values.integer(valueColumns.conversionValue), (0...63).contains(fine) {
      value = fine == 0 && zeroMayBeNull ? .ambiguousZero : .fine(Int(fine))
    } else if let coarse = values.text(valueColumns.coarseValue).flatMap(CoarseConversionValue.init) {
      value = .coarse(coarse)
    }
    let word = values.text(valueColumns.decodeStatus) ?? ""
    if word == SettledStatus.conflict { value = .contradicted }
    status = DecodeStatus(rawValue: word) ?? .null
    let isEarly = isSKAdNetwork && !row.has(Version.v4_0.rawValue, in: columns.version)
    let family: PostbackFamily = !isSKAdNetwork ? .adAttributionKit : isEarly ? .skadnetwork3OrEarlier : .skadnetwork4
    arrival = Self.arrival(family, window: window, values, valueColumns)
    guard status == .decoded else { return }
    example = row.key(columns.key)
    isCumulative = values.boolean(valueColumns.cumulative) ?? false
    app = row.integer(columns.appID) ?? 0
    modelID = values.text(valueColumns.modelID) ?? ""
    modelVersion = values.integer(valueColumns.modelVersion).map { Int($0) } ?? 0
    currency = values.text(valueColumns.currency)
    guard currency != nil else { return }
    revenue.estimate = values.amount(valueColumns.revenue) ?? .zero
    revenue.minimum = values.amount(valueColumns.minRevenue) ?? .zero
    if let maximum = values.amount(valueColumns.maxRevenue) {
      revenue.closedMaximum = maximum
    } else {
      revenue.openEnded = 1
    }
  }

  /// The hours of a postback whose window was not locked. Up to version 3, the values that a model decodes tell for how
  /// long it measures, and other postbacks may be followed by some of an app that measures for a day.
  private static func arrival(
    _ family: PostbackFamily,
    window: Int,
    _ values: borrowing RowCursor,
    _ valueColumns: DecidedColumns
  ) -> ArrivalHours? {
    let hours = ArrivalHours(family: family, window: window, conversionValueIsZero: false)
    guard family == .skadnetwork3OrEarlier, values.has(DecodeStatus.decoded.rawValue, in: valueColumns.decodeStatus),
      let hours, let received = valueColumns.received(values), let earliest = values.time(valueColumns.earliest)
    else { return hours }
    return ArrivalHours(least: hours.least, most: max(hours.most, Int((received - earliest) / 3_600_000)))
  }

  private static func conversion(_ type: String) -> Conversion? {
    switch type {
    case "download": .install
    case "redownload": .redownload
    case "re-engagement", "reengagement": .reengagement
    default: nil
    }
  }
}

extension DecidedColumns {
  /// Tells if a postback names the app or the website that showed the ad. `row` is its row of `skan_postbacks`.
  func hasPublisher(
    _ values: borrowing RowCursor,
    _ row: borrowing RowCursor,
    _ columns: PostbackColumns
  ) -> Bool {
    func isFilled(_ row: borrowing RowCursor, _ column: Int) -> Bool { row.cell(column).map { $0.count > 0 } == true }
    return withUnsigned(\.sourceApp, values, row, columns, isFilled) || isFilled(row, columns.sourceDomain)
  }
}

/// An event that a postback decodes to.
package struct DailyEvent: Sendable {
  var name: String
  var count: Amount
  var minimum: Int64
  /// The greatest number of times; nil if there is no limit.
  var maximum: Int64?
  var currency: String?
  var revenue = DailyRevenue()

  /// Indicates that the event happened; one of which the value means at least 0 may not have.
  var hasHappened: Bool { minimum > 0 }
}

extension DailyMetrics {
  /// Adds that many postbacks with an outcome.
  mutating func add(_ outcome: DailyOutcome, _ count: Int) {
    postbacks += count
    switch outcome.status {
    case .decoded: decoded += count
    case .unmapped: unmapped += count
    case .noModel: noModel += count
    case .ambiguous: ambiguous += count
    case .null, .notWon: break
    }
    if outcome.isWeb { web += count }
    if outcome.trust != nil { settled += count }
    if outcome.trust?.level == 0 { conflicts += count }
    if outcome.trust?.level == 4 { directConfirmed += count }
    guard outcome.hasWon else { return assists += count }
    won += count
    if outcome.window == 0 { addConversion(outcome, count) }
    if outcome.isValued { addValue(outcome.value, count) }
    guard outcome.status == .decoded else { return }
    if outcome.isCumulative { cumulative += count }
    guard let currency = outcome.currency else { return }
    if outcome.isUnconverted { unconverted += count }
    revenue[currency, default: DailyRevenue()] += outcome.revenue.times(count)
  }

  private mutating func addConversion(_ outcome: DailyOutcome, _ count: Int) {
    switch outcome.conversion {
    case .install:
      installs += count
      if outcome.isView == true { viewInstalls += count }
      if outcome.isView == false { clickInstalls += count }
    case .redownload: redownloads += count
    case .reengagement: reengagements += count
    case nil: break
    }
  }

  private mutating func addValue(_ value: DailyOutcome.Value, _ count: Int) {
    switch value {
    case .fine(let value): addFine(value, count)
    case .coarse(let value): coarseValues[value.place] += count
    case .null: nulls += count
    case .ambiguousZero: ambiguousZeros += count
    case .notPossible: noValuePossible += count
    case .contradicted: break
    }
  }
}

extension CoarseConversionValue {
  /// The place of the value in the order low, medium, high, from 0.
  var place: Int {
    switch self {
    case .low: 0
    case .medium: 1
    case .high: 2
    }
  }
}
