internal import CopySettlement
internal import TableReading
internal import Tables

/// The certainty of the values of a row of `skan_settled`.
struct CopyAgreement: Sendable {
  /// The trust level, 0 to 4.
  var level: Int
  /// Indicates that a device's own copy has the values, and not a forwarder's alone.
  var isOfDevice: Bool

  private static let levelColumn = Table.settled.place(.trustLevel)
  private static let decidedBy = Table.settled.place(.effectiveDecidedBy)
  private static let direct = "direct"

  init(level: Int, isOfDevice: Bool) { (self.level, self.isOfDevice) = (level, isOfDevice) }

  /// Reads the current row of `skan_settled`.
  init(_ row: borrowing RowCursor) {
    level = row.integer(Self.levelColumn).map { Int($0) } ?? 1
    isOfDevice = level == 4 || row.has(Self.direct, in: Self.decidedBy)
  }
}
