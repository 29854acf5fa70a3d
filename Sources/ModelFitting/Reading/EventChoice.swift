package import ConversionModel

/// The choice of an app's rows and of their revenue.
package struct EventChoice: Sendable {
  /// The bundle id of the app; nil if the rows are of one app only.
  package var bundleID: String?
  /// The currency of the revenue; nil if the rows have one only.
  package var currency: String?
  /// The source of the revenue.
  package var revenueKind = RevenueKind.all
  /// The events that are counted, by name.
  package var events: [String] = []
  /// All installs of the time of the rows, among them those without any row; nil if each install has a row.
  package var installs: Int?
  /// The seed by which users are dealt to folds.
  package var seed: UInt64 = 1

  package init() {}
}

/// A sentence about events from which no model can be fitted.
package struct FittingFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The rows and users that are no part of a fit, by reason.
package struct LeftOut: Sendable {
  /// The rows that could not be read.
  package var badRows = 0
  /// The first row that could not be read: the file, the line and the reason.
  package var firstBadRow: String?
  /// The rows of other apps.
  package var otherAppRows = 0
  /// The users with revenue in another currency.
  package var otherCurrencyUsers = 0
  /// The users who installed the app more than a day before the first row.
  package var earlierUsers = 0
  /// The users whose first window had not ended at the last row.
  package var unfinishedUsers = 0
  /// The windows of users in which refunds exceeded the revenue, and which count as 0.
  package var refundedWindows = 0
  /// The revenue below 0 of these windows, in millionths.
  package var refundedMillionths: Int64 = 0
}
