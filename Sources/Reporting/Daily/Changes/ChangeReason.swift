package import JSON
internal import Tables

/// The reason for which a value of a daily report is another one than before.
package enum ChangeReason: String, CaseIterable, Sendable {
  /// Postbacks, or copies of them, arrived.
  case latePostback = "late_postback"
  /// A lookup table is another one.
  case lookup
  /// Values were decoded again, by another model or from another copy of the postback.
  case model
  /// The file of rates is another one.
  case rates
  /// The cost file is another one.
  case cost
}

/// The settings and files of a daily report, as its summary records them. Those of two reports tell why they differ.
package struct DailyProvenance: Sendable, Equatable {
  /// The digests of the files that a change can follow from, by its reason; nil for a file that there is not.
  package var digests: [ChangeReason: String] = [:]
  /// The settings that must be the same for two reports to be compared.
  package var settings: [String] = []
  /// The SHA-256 of the rows as they were written first: in JSON Lines, or in CSV.
  package var rows = ""

  /// Nothing.
  package init() {}

  private static let members: [(reason: ChangeReason, key: String)] = [
    (.lookup, "lookup_digest"), (.model, "settled_digest"), (.rates, "rates_digest"), (.cost, "cost_digest"),
  ]
  private static let settingsKey = "settings"
  private static let rowsKey = "rows_digest"

  /// The members of the summary.
  package var members: [JSONValue.Member] {
    Self.members.map { .init($0.key, digests[$0.reason].map(JSONValue.string) ?? .null) } + [
      .init(Self.settingsKey, .array(settings.map(JSONValue.string))), .init(Self.rowsKey, .string(rows)),
    ]
  }

  /// Reads the members of a summary; nil if it has none.
  init?(_ summary: JSONValue) {
    guard case .array(let settings)? = summary[Self.settingsKey], case .string(let rows)? = summary[Self.rowsKey] else {
      return nil
    }
    self.rows = rows
    self.settings = settings.compactMap { if case .string(let text) = $0 { text } else { nil } }
    for (reason, key) in Self.members {
      if case .string(let digest)? = summary[key] { digests[reason] = digest }
    }
  }

  /// The reasons that the files of two reports give.
  func reasons(comparedWith previous: DailyProvenance) -> Set<ChangeReason> {
    Set(Self.members.map(\.reason).filter { digests[$0] != previous.digests[$0] })
  }
}

extension ChangeReason {
  /// The reason of a change of a column; nil if it cannot be told. `files` are the reasons that the files of both reports
  /// give, and `isLate` indicates that there are more postbacks of the day than before.
  static func of(_ column: ColumnName, _ files: Set<ChangeReason>, isLate: Bool) -> ChangeReason? {
    let possible = possible(for: column)
    var reasons = files.intersection(possible)
    // Without another file, only rows that have arrived can change a number.
    if isLate || reasons.isEmpty { reasons.formUnion(possible.intersection([.latePostback])) }
    return reasons.count == 1 ? reasons.first : nil
  }

  private static func possible(for column: ColumnName) -> Set<ChangeReason> {
    switch column {
    case .cost: [.cost, .rates, .lookup]
    case .impressions, .clicks, .networkInstalls: [.cost, .lookup]
    case .postbacks, .postbacksWon, .installs, .redownloads, .reengagements, .conversions, .installsClick,
      .installsView, .installsInteractionUnknown, .assists, .web, .noValuePossible:
      [.latePostback, .lookup]
    case .fineValues, .coarseLow, .coarseMedium, .coarseHigh, .nulls, .ambiguousZeros, .values, .valueZero,
      .valuePositive, .valueSum, .decoded, .unmapped, .noModel, .ambiguous, .undecoded:
      [.latePostback, .lookup, .model]
    case .conflicts, .directConfirmed: [.latePostback, .lookup, .model]
    default: [.latePostback, .lookup, .model, .rates]
    }
  }
}
