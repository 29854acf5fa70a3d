package import ConversionModel

/// What a report shows of the tables of some runs: numbers alone, nothing of how they look.
package struct Report: Sendable {
  /// Records that are still there after a stage.
  package struct Step: Sendable {
    /// The stage, as a participle: read, parsed, verified, unique, decoded.
    package let name: String
    /// How many are there.
    package let count: Int
  }

  /// A network or forwarder: its rejects of all that was read of it.
  package struct Sender: Sendable {
    /// The network or forwarder; nil where records do not say.
    package let name: String?
    /// Its rejects, without the device's copies that are rejected since they contradict another sender.
    package let rejects: Int
    /// Its accepted postbacks that a device's own copy, which came later, contradicts.
    package let contradicted: Int
    /// All its records.
    package let read: Int
    /// Its most frequent reject code.
    package let mostFrequentCode: String?

    /// Its rejects, and its accepted postbacks that are contradicted.
    package var faults: Int { rejects + contradicted }
  }

  /// What the fine and coarse values of a conversion window are.
  package struct Window: Sendable {
    /// The postback-sequence-index.
    package let index: Int
    /// Won postbacks with a fine value.
    package var fine = 0
    /// Won postbacks with a coarse value.
    package var coarse = 0
    /// Won postbacks with neither.
    package var none = 0
  }

  /// The revenue that postbacks of an app decode to, in one currency.
  package struct RevenueRange: Sendable {
    /// How the sums of several windows became one.
    package enum Basis: Int, Comparable, Sendable {
      /// There is one window only.
      case oneWindow
      /// The windows are added.
      case sum
      /// A window includes those before it: the larger sum is taken.
      case largest

      /// The order of the cases.
      package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The app.
    package let app: String
    /// The currency.
    package let currency: String
    /// Postbacks with revenue.
    package var postbacks = 0
    /// The estimate.
    package var estimate = Amount.zero
    /// The least that it is.
    package var minimum = Amount.zero
    /// The sum of the upper limits of those postbacks that have one.
    package var closedMaximum = Amount.zero
    /// Postbacks whose revenue has no upper limit.
    package var openEnded = 0
    /// How windows were added.
    package var basis = Basis.oneWindow

    /// What it is less than; nil where a postback has no upper limit.
    package var maximum: Amount? { openEnded > 0 ? nil : closedMaximum }
  }

  /// The installs of a day, in UTC.
  package struct InstallDay: Sendable {
    /// Days since 1970-01-01.
    package let day: Int
    /// Those whose estimated date is on the day.
    package var estimated = 0
    /// Those that can be on no other day.
    package var certain = 0
    /// Those that can be on the day.
    package var possible = 0
  }

  /// read → parsed → verified → unique → decoded.
  package let funnel: [Step]
  /// The unique postbacks that were not decoded, by each other `decode_status`.
  package let undecoded: [(status: DecodeStatus, count: Int)]
  /// When the records were received.
  package let received: ReceivedSpan
  /// The reject codes and their rejects, the largest first; the times are those that `received` goes by.
  package let codes: [(code: String, tally: RowTally)]
  /// Rejects by time of receipt and code.
  package let timeline: Timeline
  /// The ad networks, those with the most rejects first.
  package let networks: [Sender]
  /// The forwarders.
  package let forwarders: [Sender]
  /// Decoded revenue by app and currency.
  package let revenue: [RevenueRange]
  /// Values by window.
  package let windows: [Window]
  /// First postbacks of won installs by day, without gaps.
  package let installs: [InstallDay]
  /// Installs on days that are left out, as they are too far from the others.
  package let otherInstalls: Int
  /// The copies that do not agree with the first of their postback.
  package let conflicts: Conflicts
  /// Some rejects, whole.
  package let sample: RejectSample
  /// What is kept of networks, forwarders and the like is bounded: whether a bound was hit.
  package let isBounded: Bool
  /// The lines that are no rows.
  package let unreadable: UnreadableRows

  /// Rejects.
  package var rejectCount: Int { codes.reduce(0) { $0 + $1.tally.count } }
}
