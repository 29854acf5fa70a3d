internal import CampaignEnrichment
internal import ConversionModel
internal import JSON
internal import LookupTables
internal import NullValueModelling
internal import TableReading
internal import Tables

// The strata of null modelling among the counts of a daily report.
extension DailyKeyBytes {
  /// Appends the stratum of a postback: the app, the network, and the part of the campaign's identifier that null
  /// postbacks have too.
  mutating func appendStratum(_ cursor: borrowing RowCursor, _ columns: PostbackColumns, _ row: EnrichedRow) {
    append(columns.appID, of: cursor)
    append(row.networkName)
    let identifier =
      if let source = cursor.cell(columns.sourceIdentifier) {
        Stratum.Identifier(
          source: cursor.bytes.span.extracting(source.indices),
          keeping: row.network?.digits ?? .trailing
        )
      } else {
        Stratum.Identifier(campaignID: cursor.integer(columns.campaignID))
      }
    switch identifier {
    case .campaign(let number): append("c\(number)")
    case .source(let digits): append("\(digits)")
    case .none: appendNull()
    }
  }
}

extension Stratum {
  /// Reads a stratum as `appendStratum` writes it.
  init(_ values: [String?]) {
    let identifier = values.count > 2 ? values[2] : nil
    self.init(
      app: values.first.flatMap { $0.flatMap { Int64($0) } } ?? 0,
      network: values.count > 1 ? values[1] ?? "" : "",
      identifier.map { text in
        text.hasPrefix("c")
          ? .campaign(Int(text.dropFirst()) ?? 0) : .source(Int(text) ?? 0)
      } ?? .none
    )
  }
}

extension DailyOutcome {
  /// The conversion value as modelling sees it; nil for a postback that has no part in it: one that did not win, one of
  /// a re-engagement, and one that could not have a value.
  var modelledValue: StratumCounts.Value? {
    guard hasWon, conversion == .install || conversion == .redownload else { return nil }
    var reported: ReportedValue
    switch value {
    case .null: return .null
    case .ambiguousZero: return .ambiguousZero
    case .notPossible: return nil
    // The copies of the device contradict each other: there is a value, and it is not known.
    case .contradicted: return .undecoded
    case .fine(let value): reported = ReportedValue(modelID: modelID, modelVersion: modelVersion, fine: value)
    case .coarse(let value):
      reported = ReportedValue(
        modelID: modelID,
        modelVersion: modelVersion,
        fine: ReportedValue.firstCoarse + value.place
      )
    }
    guard status == .decoded else { return .undecoded }
    reported.tier = reported.coarse == nil ? hasPublisher ? 3 : 2 : 1
    reported.isCumulative = isCumulative
    reported.events = Set(events.filter(\.hasHappened).map(\.name)).sorted()
    if let currency {
      reported.currency = currency
      (reported.estimate, reported.minimum, reported.maximum) = (revenue.estimate, revenue.minimum, revenue.maximum)
    }
    return .decoded(reported)
  }
}
