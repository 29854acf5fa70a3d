internal import Base

/// The settings of a settlement.
package struct SettlementSettings: Sendable {
  /// The longest time in hours by which a device's own copy may come after a forwarder's and still count.
  package var graceHours = 48
  /// The first day of first receipt that the summary counts, in days since 1970-01-01; nil for no limit.
  package var since: Int64?
  /// The day after the last one that the summary counts; nil for no limit.
  package var until: Int64?
  /// The day of the clock, in days since 1970-01-01. Times of receipt after it are not believed.
  package var today = Timestamp.now.daysSince1970
  /// The number of bytes of copies that are held in memory at a time, about.
  package var bufferBytes = 64 << 20

  /// The usual settings.
  package init() {}
}
