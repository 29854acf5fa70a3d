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

  /// Who sends: rejects of all that was read.
  package struct Sender: Sendable {
    /// The network or forwarder; nil where records do not say.
    package let name: String?
    /// Its rejects.
    package let rejects: Int
    /// All its records.
    package let read: Int
    /// Its most frequent reject code.
    package let mostFrequentCode: String?
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
    /// What it is less than, but for those without a limit.
    package var maximum = Amount.zero
    /// Postbacks whose revenue has no upper limit: of them the estimate is in `maximum`.
    package var openEnded = 0
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

  /// An unsigned field that copies of one postback do not agree on.
  package struct Conflict: Sendable {
    /// Apple's name of the field.
    package let field: String
    /// What the copy that came first has.
    package let first: String?
    /// What the later copy has.
    package let later: String?
    /// Copies.
    package let count: Int
  }

  /// read → parsed → verified → unique → decoded.
  package let funnel: [Step]
  /// The reject codes and their rejects, the largest first.
  package let codes: [(code: String, tally: RowTally)]
  /// Rejects by time of receipt and code.
  package let timeline: Timeline
  /// The ad networks, those with the most rejects first.
  package let networks: [Sender]
  /// The forwarders.
  package let forwarders: [Sender]
  /// Decoded revenue by app and currency, the largest estimates first.
  package let revenue: [RevenueRange]
  /// Values by window.
  package let windows: [Window]
  /// First postbacks of won installs by day, without gaps.
  package let installs: [InstallDay]
  /// Installs on days that are left out, as they are too far from the others.
  package let otherInstalls: Int
  /// What copies do not agree on, the most frequent first.
  package let conflicts: [Conflict]
  /// Some rejects, whole.
  package let sample: RejectSample
  /// What is kept of networks, forwarders and the like is bounded: whether a bound was hit.
  package let isBounded: Bool
  /// The lines that are no rows.
  package let unreadable: UnreadableRows

  /// Rejects.
  package var rejectCount: Int { codes.reduce(0) { $0 + $1.tally.count } }
}
