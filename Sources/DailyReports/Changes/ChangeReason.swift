internal import Tables

/// The reason for which a value of a daily report is another one than before.
package enum ChangeReason: String, CaseIterable, Sendable {
  /// Postbacks arrived.
  case latePostback = "late_postback"
  /// Copies of postbacks arrived, or were settled: another value, campaign or day counts.
  case lateCopy = "late_copy"
  /// A lookup table is another one.
  case lookup
  /// Values were decoded again, by another model.
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
      [.latePostback, .lateCopy, .lookup]
    case .fineValues, .coarseLow, .coarseMedium, .coarseHigh, .nulls, .ambiguousZeros, .values, .valueZero,
      .valuePositive, .valueSum, .decoded, .unmapped, .noModel, .ambiguous, .undecoded:
      [.latePostback, .lateCopy, .lookup, .model]
    case .conflicts, .directConfirmed: [.latePostback, .lateCopy, .lookup, .model]
    default: [.latePostback, .lateCopy, .lookup, .model, .rates]
    }
  }
}
