internal import DerivedTables
package import DurableFiles
package import JSON
package import SearchAds
package import Tables

/// The table `asa_attributions` of an output while it is written: first new results go into the journal, then the table is
/// made of all of it.
package final class SearchAdsOutput {
  package let journal: AttributionJournal
  private let table: DerivedTable
  private let encoding: TableEncoding

  private static let batch = 2000

  /// Begins the table. Throws `.locked` if another process writes it.
  package init(_ encoding: TableEncoding, in output: String) throws(FileFailure) {
    table = try DerivedTable(.searchAdsAttributions, encoding, in: DurableFolder(making: output).path)
    journal = try AttributionJournal(in: output)
    self.encoding = encoding
  }

  /// Adds results durably.
  package func append(_ rows: [AttributionRow]) throws(FileFailure) { try journal.append(rows) }

  /// Writes the table in place of the one that was there before, with these names.
  package func complete(_ names: SearchAdsNames) throws(FileFailure) -> SearchAdsSummary {
    var summary = SearchAdsSummary(added: journal.newCount, superseded: journal.supersededCount)
    var encoder = RowEncoder(.searchAdsAttributions, encoding)
    try journal.forEach { row throws(FileFailure) in
      names.named(row).encode(into: &encoder)
      summary.add(row)
      if summary.rows % Self.batch == 0 { try table.append(encoder.take()) }
    }
    try table.append(encoder.take())
    try table.complete(summary: summary.json.description)
    return summary
  }
}

/// The counts of `asa_attributions`.
package struct SearchAdsSummary: Sendable {
  /// The rows of the table, and those that are new.
  package private(set) var rows = 0
  package let added: Int
  /// The payloads that do not count, because another one of their token does.
  package let superseded: Int
  /// The rows by result.
  package private(set) var outcomes: [AttributionOutcome: Int] = [:]
  /// The payloads with an attribution and without one, those of tests in neither, and those with a remark.
  package private(set) var attributed = 0
  package private(set) var notAttributed = 0
  package private(set) var tests = 0
  package private(set) var flagged = 0

  mutating func add(_ row: AttributionRow) {
    rows += 1
    outcomes[row.outcome, default: 0] += 1
    guard row.outcome == .payload else { return }
    if row[.flags] != nil { flagged += 1 }
    if row.text(.environment) == AttributionEnvironment.test.rawValue {
      tests += 1
    } else if row.boolean(.attribution) == true {
      attributed += 1
    } else {
      notAttributed += 1
    }
  }

  package var json: JSONValue {
    .object([
      .init("rows", .integer(rows)), .init("new", .integer(added)), .init("superseded", .integer(superseded)),
      .init(
        "by_outcome",
        .object(AttributionOutcome.allCases.map { .init($0.rawValue, .integer(outcomes[$0] ?? 0)) })
      ),
      .init("attributed", .integer(attributed)), .init("not_attributed", .integer(notAttributed)),
      .init("tests", .integer(tests)), .init("flagged", .integer(flagged)),
    ])
  }
}
