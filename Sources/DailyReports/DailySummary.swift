package import Base
internal import CampaignEnrichment
internal import ConversionModel
internal import DerivedTables
package import JSON
package import LookupTables
package import NullValueModelling
package import SearchAdsReports
internal import TableReading
internal import Tables
package import VendorReports

/// The counts of a daily report.
package struct DailySummary: Sendable {
  /// The sums over all counted postbacks by conversion window.
  package private(set) var windows = [DailyMetrics](repeating: DailyMetrics(), count: 3)
  /// The number of rows of each table that was written, by its name, in the order of the tables.
  package private(set) var written: [(table: String, rows: Int)] = []
  /// The first and the last day of each date type; nil if there is none.
  package private(set) var days: [DateType: ClosedRange<Int64>] = [:]
  /// The totals of `skan_modelled`.
  package private(set) var modelled: [ModelledRow] = []
  package let settings: DailySettings
  /// The remarks on the lookup tables and on the postbacks.
  package var warnings: [String] { lookupWarnings + ownWarnings }
  /// The remarks on the cost file that follow from the time of the report.
  package var costWarnings: [String] = []

  /// The cost of all rows.
  package private(set) var cost = DailyCost(level: .row)
  /// The cost of the rows that are not of all dimensions.
  package private(set) var parentCost = DailyCost(level: .parent)
  /// The campaigns with a cost, those with the highest first.
  package var campaigns: [CampaignTotals] { campaignSums.byCost }
  private var campaignSums = CostedCampaigns()
  /// The numbers of postbacks in the rows of each date type.
  private var postbacksByType: [DateType: Int] = [:]
  /// The number of postbacks that are in no row by install date: they came after rows of their install day were removed because of
  /// their age, and the results of this day stay as they are.
  package private(set) var afterRemovedInstallDays = 0
  /// The number of changes since the earlier report by reason, nil for those whose reason cannot be told.
  package internal(set) var changes: [ChangeReason?: Int] = [:]
  /// The reason for which the report is not compared with an earlier one; nil if it is.
  package internal(set) var changesObstacle: String?

  /// The remarks on changes since the earlier report; not in `warnings`, which do not depend on it.
  package internal(set) var changeWarnings: [String] = []

  /// The counts of rows of `skan_postbacks`.
  package var rows = DailyRowCounts()
  /// The files and the settings of the report.
  var provenance: DailyProvenance

  /// The attributions of Apple Search Ads, which are never in the counts of postbacks; nil if there are none.
  package let searchAds: SearchAdsDaily?

  /// The counts of vendors beside the postbacks, which are never in the counts of these; empty if no export was imported.
  package let vendors: [VendorReport]

  private let lookupWarnings: [String]

  /// The suspicions about conversion values, in words.
  package let suspicions: [String]

  private let settledDigest: String?
  private let hasSettled: Bool

  package init(_ settings: DailySettings, _ lookups: Lookups, _ inputs: DailyInputs) {
    (hasSettled, settledDigest) = (inputs.settled != nil, inputs.settled?.lookupDigest)
    (self.settings, searchAds, suspicions) = (settings, inputs.searchAds, inputs.suspicions.words)
    vendors = inputs.vendors?.vendors ?? []
    provenance = DailyProvenance(inputs, settings, lookups)
    lookupWarnings = lookups.warnings.map(\.description)
  }

  /// The number of postbacks that are left out, by environment, `forwarder_test` for those that a forwarder marks, and `late`
  /// for those that were received after the time of the report.
  package var leftOut: [(reason: String, count: Int)] {
    let environments = rows.leftOut.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return environments + [(Table.forwarderTest, rows.tests), (Self.late, rows.late)].filter { $0.1 > 0 }
  }

  /// The word for postbacks that were received after the time of the report.
  package static let late = "received_after_as_of"

  /// The number of counted postbacks.
  package var postbacks: Int { windows.reduce(0) { $0 + $1.postbacks } }
  /// The number of counted postbacks without a time of receipt.
  package var withoutReceipt: Int { rows.withoutReceipt }
  /// The number of counted postbacks without an install date.
  package var withoutInstallDate: Int { rows.withoutInstallDate }

  /// The time that the report is of; nil if it is not known.
  package var asOf: Timestamp? { settings.asOf ?? rows.receipts.latest.map { Timestamp(milliseconds: $0) } }

  /// The first day of which postbacks are left out because it is after that of the report, in days since 1970-01-01; nil if there
  /// is none.
  package var dueDay: Int64? { rows.late > 0 ? rows.receiptsAhead.firstDay : nil }

  /// The number of postbacks with revenue, and of rows of costs, that could not be converted.
  package var unconverted: Int { windows.reduce(0) { $0 + $1.unconverted } + cost.unconverted }

  /// The decoded revenue of all windows, by currency in order.
  package var revenue: [(currency: String, revenue: DailyRevenue)] {
    var sums: [String: DailyRevenue] = [:]
    for window in windows { sums.merge(window.revenue) { $0 + $1 } }
    return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The number of rows of `skan_postbacks` that were counted with the values of `skan_settled`; nil without that table.
  package var settled: Int? { hasSettled ? rows.settled : nil }

  /// The remarks on the postbacks and on `skan_settled`.
  package var ownWarnings: [String] {
    (nothingCounted.map { [$0] } ?? []) + timeWarnings + removalWarnings + costWarnings + nullWarnings
      + settledWarnings + vendors.flatMap(\.warnings)
  }

  /// A remark if postbacks came after others of their install day were removed because of their age.
  private var removalWarnings: [String] {
    guard afterRemovedInstallDays > 0 else { return [] }
    return [
      "\(Self.postbacks(afterRemovedInstallDays)) in no row by install date: rows of these install days were removed because of "
        + "their age before. Rows by date of receipt have them. Let postback retain keep \(Self.wholeDays) days or more, until all "
        + "postbacks of an install day have come."
    ]
  }

  /// The days after an install day by which all of its postbacks have come: those of the last window, also if a device sends them again.
  private static var wholeDays: Int {
    let last = ArrivalHours(family: .skadnetwork4, window: 2, conversionValueIsZero: false)
    return ((last?.most ?? 0) + Completeness.retryHours) / 24 + 1
  }

  private static func postbacks(_ count: Int) -> String { count == 1 ? "1 postback is" : "\(count) postbacks are" }

  /// A remark if times of receipt lie in the future.
  private var timeWarnings: [String] {
    guard let ahead = rows.receiptsAhead.latest.map({ Timestamp(milliseconds: $0) }) else { return [] }
    guard rows.late > 0 else {
      return [
        "All times of receipt lie in the future of the clock, up to \(ahead), and the report is of this time. Correct the clock, or "
          + "give the time of the report with --as-of."
      ]
    }
    return [
      "\(Self.postbacks(rows.late)) left out, because the time of receipt is after today: \(ahead) at the latest. Senders may have set it. "
        + "received_at in skan_postbacks has it, and --as-of counts what was received up to a time of your choice."
    ]
  }

  /// A remark if `skan_settled` is older than the lookup tables or the last postbacks.
  private var settledWarnings: [String] {
    guard hasSettled else { return [] }
    var warnings: [String] = []
    if settledDigest != provenance.digests[.lookup] {
      warnings.append("skan_settled was made with other lookup tables. Run postback settle with these.")
    }
    let counted = rows.read - leftOut.reduce(0) { $0 + $1.count }
    if rows.settled < counted {
      warnings.append(
        "skan_settled does not have the last \(counted - rows.settled) of \(counted) postbacks, which are counted with the "
          + "values of their first copies. Run postback settle again."
      )
    }
    return warnings
  }

  /// A remark if postbacks of later windows have no value.
  private var nullWarnings: [String] {
    let count = windows[1].nulls + windows[2].nulls
    guard count > 0 else { return [] }
    let postbacks = count == 1 ? "1 postback of window 1 or 2 has" : "\(count) postbacks of the windows 1 and 2 have"
    return [
      "\(postbacks) no value. In SKAdNetwork Apple sends none without one, so a forwarder may have removed it. In AdAttributionKit "
        + "the app may have set fine values alone."
    ]
  }

  /// Counts a row of `skan_daily`.
  mutating func add(_ row: DailyRow) {
    // Both date types have each postback.
    if row.group.dateType == .received { windows[row.group.window] += row.metrics }
    postbacksByType[row.group.dateType, default: 0] += row.metrics.postbacks
    if provenance.digests[.cost] != nil { campaignSums.add(row) }
    if let cost = row.cost {
      self.cost += cost
      if cost.level == .parent { parentCost += cost }
    }
    guard let day = row.group.day else { return }
    let known = days[row.group.dateType] ?? day...day
    days[row.group.dateType] = min(known.lowerBound, day)...max(known.upperBound, day)
  }

  /// Notes the numbers of rows that were written, and the totals of modelled revenue.
  mutating func note(_ outputs: DailyOutputs, _ modelling: NullModelling, costsOfOtherDays costs: DailyCost?) {
    modelled = modelling.rows.filter { $0.scope == .total }
    written = [(Table.daily.name, outputs.daily.rows), (Table.dailyEvents.name, outputs.events.rows)]
    if let values = outputs.values { written.append((Table.dailyValues.name, values.rows)) }
    written.append((Table.modelled.name, outputs.modelled.rows))
    guard settings.keepsRemovedDays else { return }
    let all = postbacksByType.merging(outputs.daily.earlierPostbacks, uniquingKeysWith: +)
    afterRemovedInstallDays = max(0, all[.received, default: 0] - all[.install, default: 0])
    if outputs.daily.earlierRows > 0 {
      costWarnings += removedCostWarnings(kept: outputs.daily.earlierCosts, given: costs)
    }
  }

  /// A remark if days whose rows stay have other costs than the file has for them.
  private func removedCostWarnings(kept: [String: Amount], given: DailyCost?) -> [String] {
    // Without a rate the costs of these days are not known.
    guard kept != given?.amounts ?? [:], given?.unconverted ?? 0 == 0, let first = settings.firstKeptDay else {
      return []
    }
    func text(_ amounts: [String: Amount]) -> String {
      let words = amounts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
      return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }
    let rates = provenance.currency == nil ? "" : " at the present rates"
    let other = given.map { "and \(text($0.amounts)) in the file of costs\(rates)" } ?? "and no costs are given"
    let day = Timestamp.name(ofDay: Int(first))
    return [
      "The install days before \(day) cost \(text(kept)) in \(Table.daily.name), \(other). Their rows stay as they are, with ratios of "
        + "those costs, because postbacks of these days were removed."
    ]
  }
}

extension DailyRevenue {
  fileprivate static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum += right
    return sum
  }
}

// MARK: - JSON

extension DailySummary {
  /// The summary as a JSON object.
  package var json: JSONValue {
    .object(
      [
        .init("rows_read", .integer(rows.read)),
        .init("postbacks", .integer(postbacks)),
        .init("left_out", .object(leftOut.map { .init($0.reason, .integer($0.count)) })),
        .init("without_received_at", .integer(withoutReceipt)),
        .init("without_install_date", .integer(withoutInstallDate)),
        .init("after_removed_install_days", .integer(afterRemovedInstallDays)),
        .init("settled", .integer(settled)),
        .init("rows", .object(written.map { .init($0.table, .integer($0.rows)) })),
        .init("windows", .array(windows.indices.map { json($0) })),
        .init("revenue", .array(revenue.map { json($0.currency, $0.revenue) })),
        .init("modelled", .array(modelled.map(\.json))),
        .init("value_suspicions", .texts(suspicions)),
        .init("received", json(days[.received])),
        .init("install", json(days[.install])),
        .init(
          "dimensions",
          .texts(DailyDimension.allCases.filter(settings.dimensions.contains).map(\.column.rawValue))
        ),
        .init("environments", .texts(settings.environments.sorted())),
        .init("since", json(day: settings.since)),
        .init("until", json(day: settings.until)),
        .init("as_of", .text(asOf?.description)),
        .init("unconverted_rows", .integer(windows.reduce(0) { $0 + $1.unconverted })),
        .init("cost", cost.json),
        .init("cost_not_divided", parentCost.json),
        .init("unconverted_cost_rows", .integer(cost.unconverted)),
        .init("changes", .integer(changes.values.reduce(0, +))),
        .init("not_compared", .text(changesObstacle)),
        .init("apple_search_ads", .optional(searchAds?.json)),
        .init("vendors", .array(vendors.map(\.json))),
        .init("warnings", .texts(warnings)),
        .init(Self.nothingCountedKey, .text(nothingCounted)), settings.replacement.member,
      ] + provenance.members
    )
  }

  private func json(_ window: Int) -> JSONValue {
    let metrics = windows[window]
    func first(_ count: Int) -> JSONValue { window == 0 ? .integer(count) : .null }
    return .object([
      .init(ColumnName.postbackSequenceIndex.rawValue, .integer(window)),
      .init(ColumnName.postbacks.rawValue, .integer(metrics.postbacks)),
      .init(ColumnName.postbacksWon.rawValue, .integer(metrics.won)),
      .init(ColumnName.installs.rawValue, first(metrics.installs)),
      .init(ColumnName.redownloads.rawValue, first(metrics.redownloads)),
      .init(ColumnName.reengagements.rawValue, first(metrics.reengagements)),
      .init(ColumnName.values.rawValue, .integer(metrics.values)),
      .init(ColumnName.nulls.rawValue, .integer(metrics.nulls)),
      .init(ColumnName.noValuePossible.rawValue, .integer(metrics.noValuePossible)),
      .init(ColumnName.ambiguousZeros.rawValue, .integer(metrics.ambiguousZeros)),
      .init(ColumnName.decoded.rawValue, .integer(metrics.decoded)),
      .init(ColumnName.undecoded.rawValue, .integer(metrics.undecoded)),
    ])
  }

  private func json(_ currency: String, _ revenue: DailyRevenue) -> JSONValue {
    .object([
      .init(ColumnName.currency.rawValue, .string(currency)),
      .init(ColumnName.revenue.rawValue, .number("\(revenue.estimate)")),
      .init(ColumnName.confirmedRevenue.rawValue, hasSettled ? .number("\(revenue.confirmed)") : .null),
      .init(ColumnName.revenueMin.rawValue, .number("\(revenue.minimum)")),
      .init(ColumnName.revenueMax.rawValue, revenue.maximum.map { .number("\($0)") } ?? .null),
      .init(ColumnName.revenueMaxOpen.rawValue, .integer(revenue.openEnded)),
    ])
  }

  private func json(_ days: ClosedRange<Int64>?) -> JSONValue {
    guard let days else { return .null }
    return .object([.init("first", json(day: days.lowerBound)), .init("last", json(day: days.upperBound))])
  }

  private func json(day: Int64?) -> JSONValue { .text(day.map { Timestamp.name(ofDay: $0) }) }
}
