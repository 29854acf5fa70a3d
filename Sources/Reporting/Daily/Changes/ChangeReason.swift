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

extension ChangeReason {
  /// The reasons that a change of a column can have.
  static func possible(for column: ColumnName) -> Set<ChangeReason> {
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
