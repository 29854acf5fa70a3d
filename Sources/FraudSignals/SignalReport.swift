internal import CampaignEnrichment
internal import Base
package import ConversionModel
internal import LookupTables
internal import DurableFiles
package import PostbackPipeline
package import TableReading
package import Tables
internal import CopySettlement
internal import PostbackCopies

/// All tests of the accepted postbacks and of their copies.
///
/// A signal proves nothing: it shows where to look. The p-values are corrected with Holm's method, suspicions and differences each
/// as a family, so that the chance of any alarm without a cause is at most 5 % for a report, not for a test: an analyst who finds
/// one alarm on a clean day in twenty still trusts the others.
package struct SignalReport: Sendable {
  /// A test that could not be made.
  package struct Omission: Sendable {
    /// The test.
    package let name: SignalName
    /// The reason, and the remedy, as sentences.
    package let reason: String
    /// Indicates that records were looked at, and none has the property.
    package var foundNone = false
  }

  /// The tests, those with the least p-value first.
  package let tests: [SignalTest]
  /// The tests that could not be made.
  package let omissions: [Omission]
  /// The tests that were not made because no record has the property, and the others.
  package var absent: [Omission] { omissions.filter(\.foundNone) }
  package var untested: [Omission] { omissions.filter { !$0.foundNone } }
  /// The parts that tests could not look at, although they were made.
  package let partialOmissions: [Omission]
  /// The first time of receipt of what was tested, because earlier rows were removed; nil if none were.
  private let since: Int64?
  /// The number of copies, postbacks and transactions that are left out, because there are too many.
  package let leftOut: Int
  /// The number of postbacks that a sender sent again long after its own first copy, by the id of the ad network.
  package let lateReplays: [String: Int]
  /// The lines that are not rows.
  package let unreadable: UnreadableRows

  /// The time in milliseconds by which a copy may be outside the span of its postback.
  private static let copyTime: Int64 = 35 * 86_400_000

  /// A sentence on the rows that were not tested because others of their days were removed; nil if there are none.
  package var removalSentence: String? {
    since.map { since in
      "Not tested is what was received before \(Timestamp(milliseconds: since)): some rows of these days were removed because of their age."
    }
  }

  /// The suspicions that raise an alarm.
  package var alarms: [SignalTest] { tests.filter(\.isAlarm) }
  /// The significant differences, which need not be wrong.
  package var differences: [SignalTest] { tests.filter { $0.kind == .difference && $0.isSignificant } }
  /// The suspicions that raised an alarm on a day before the last, and do not any more.
  package var withdrawn: [SignalTest] { tests.filter { $0.kind == .suspicion && $0.withdrawnOn != nil } }

  /// Reads the tables. Of the query, only the span of time and the conditions on columns of both tables apply. All copies of a
  /// postback count, also those of other senders and, for five weeks, those outside the span.
  package init(_ query: RejectQuery, of inputs: SignalInputs, jobs: Int) async throws(PipelineFailure) {
    try await self.init(
      query,
      of: inputs,
      jobs: jobs,
      besideRejects: { _ in },
      besideAccepted: { _ in },
      take: { _ in }
    )
  }

  /// Reads the tables as the other initializer does, and has the rows of all rejects and then of all accepted postbacks counted for
  /// another purpose too. `take` receives the counts of the batches in their order.
  package init<Count: Sendable>(
    _ query: RejectQuery,
    of inputs: SignalInputs,
    jobs: Int,
    besideRejects: @escaping @Sendable (ParsedRows) -> Count,
    besideAccepted: @escaping @Sendable (ParsedRows) -> Count,
    take: (Count) -> Void
  ) async throws(PipelineFailure) {
    var counter = SignalCounter(lateAfterDays: inputs.lateAfterDays)
    let span = query.span.from(inputs.since)
    counter.filter = RowFilter(query.sharedConditions, during: span, in: .postbacks)
    counter.rejectFilter = RowFilter(query.sharedConditions, during: span, in: .rejects)
    // Copies of a postback have the same app, but may come from another sender.
    let copyConditions = query.sharedConditions.filter { $0.column == ColumnName.appID.rawValue }
    let copyFilter = RowFilter(copyConditions, during: span.extended(by: Self.copyTime), in: .rejects)
    var copies = SentCopies()
    let (columns, rejectCounter) = (RejectColumns(), counter)
    try await inputs.rejects.scan(jobs: jobs) { batch in
      let rows = ParsedRows(batch, of: .rejects)
      return (
        RejectedCopies(rows, columns, copyFilter), rejectCounter.count(rejects: rows), besideRejects(rows)
      )
    } take: { found, rates, count in
      copies.add(found, rates)
      take(count)
    }
    copies.finish()
    counter.draw = copies.draw
    var counts = copies.counts
    let table = copies.table
    let (parts, settledFiles, enrichedFiles) = try PipelineFailure.state { () throws(FileFailure) in
      (
        try inputs.accepted.divided(), try SettledFiles.byNumber(inputs.settled),
        try SettledFiles.byNumber(inputs.enriched)
      )
    }
    for part in parts {
      var rows = AlignedBatches(settled: settledFiles[part.number], enriched: enrichedFiles[part.number])
      let counter = counter
      try await part.files.scan(jobs: jobs) { batch throws(PipelineFailure) in
        try await rows.next(beside: batch) { () async throws(PipelineFailure) in
          try await part.files.postbackKeys(jobs: jobs)
        }
      } _: { batch, beside in
        let rows = ParsedRows(batch, of: .postbacks)
        let found = counter.count(
          rows,
          table,
          settled: ParsedRows(beside.settled, of: .settled),
          enriched: ParsedRows(beside.enriched, of: .enriched)
        )
        return (found, besideAccepted(rows))
      } take: { found, count in
        counts.merge(found)
        take(count)
      }
    }
    await self.init(counts, inputs.models, since: inputs.since, jobs: jobs)
  }

  /// Makes the tests of counts of rows that models decoded, several families at once.
  package init(
    _ counts: consuming SignalCounts,
    _ models: [ConversionModel],
    since: Int64? = nil,
    jobs: Int
  ) async {
    var counts = counts
    self.since = since
    counts.changes.note(models)
    counts.complete()
    tests = await Self.tests(counts, jobs: jobs).sorted {
      ($0.pValue, $0.name.rawValue, $0.party, $0.app ?? "", $0.value ?? "")
        < ($1.pValue, $1.name.rawValue, $1.party, $1.app ?? "", $1.value ?? "")
    }
    let omitted = SignalOmissions(counts, tests)
    (omissions, partialOmissions) = (omitted.all(), omitted.partial())
    leftOut = counts.leftOut
    lateReplays = counts.lateReplays
    unreadable = counts.unreadable
  }

  /// All tests, corrected for their number.
  private static func tests(_ counts: SignalCounts, jobs: Int) async -> [SignalTest] {
    let families: [@Sendable () async throws(Never) -> [SignalTest]] = [
      { counts.rates.tests() }, { ClusterStatistics(counts).all() },
      { RevenueComparison.tests(counts.changes.comparisons()) }, { counts.risk.testsOfWithheld() },
      { SameCampaignTests(counts.values).all() }, { ValueSteps(counts.values).all() },
      { CampaignBursts(values: counts.values).all() },
    ]
    var tests: [SignalTest] = []
    var made = families.mapConcurrently(jobs) { await $0() }.makeAsyncIterator()
    while let family = await made.next() { tests += family }
    let only = counts.onlySenders
    tests.removeAll { $0.party.kind == .network && only.contains($0.party.name) && $0.name.isOfBothKinds }
    tests.sort { $0.order.lexicographicallyPrecedes($1.order) }
    let bounds = SignalFamily.correct(&tests)
    for index in tests.indices {
      let (name, party) = (tests[index].name, tests[index].party.name)
      if tests[index].method.isValidAtAnyTime { counts.rates.describe(&tests[index], bound: bounds[index]) }
      guard tests[index].basis == .copies else { continue }
      if let names = name.revenueTests { tests[index].money = counts.changes.revenueEffect(names, by: party) }
      if let revenue = tests[index].revenue {
        tests[index].money = [revenue.currency: revenue.gain]
        let key = SignalRates.Key(name: name, party: tests[index].party)
        tests[index].leftOut? += counts.rates.entries[key]?.leftOut ?? 0
      }
      tests[index].change = counts.changes.mostFrequent(name, by: party)
    }
    // Where one forwarder lowers or drops values, those of an honest one are higher; where one changes countries, an honest one
    // has more postbacks of the others.
    let lowering = tests.filter { $0.isAlarm && ($0.name == .inventedNulls || $0.name == .loweredValues) }
    let changing = tests.filter { $0.isAlarm && $0.name == .changedCountries }
    return tests.filter { test in
      let isOfValues = test.basis == .sameCampaign && (test.name == .fineValues || test.name == .coarseValues)
      let isOfCountries = test.party.kind == .forwarder && test.name == .countries
      let causes = isOfValues ? lowering : isOfCountries ? changing : []
      return !causes.contains { $0.party != test.party }
    }
  }

}

extension SignalTest {
  /// The texts that tell the test from all others.
  fileprivate var order: [String] {
    [name.rawValue, basis.rawValue, method.rawValue, party.kind.rawValue, party.name, app ?? "", value ?? ""]
  }
}

extension SignalName {
  /// The tests whose differences the money of the test is about; nil if it is about none.
  fileprivate var revenueTests: Set<SignalName>? {
    switch self {
    case .raisedValues, .loweredValues, .addedValues: [self]
    default: nil
    }
  }

  /// Indicates that forwarders and networks both have the test. A network with one forwarder that sends for no other has it once.
  fileprivate var isOfBothKinds: Bool {
    switch self {
    case .fineValues, .coarseValues, .inventedNulls, .redownloads, .viewThrough, .countries, .impossibleFields,
      .unknownCampaigns, .inactiveCampaigns:
      true
    default: false
    }
  }
}

extension TimeSpan {
  /// The span with as many milliseconds more on both sides.
  fileprivate func extended(by time: Int64) -> TimeSpan {
    func moved(_ limit: Int64?, _ time: Int64) -> Int64? {
      limit.map { limit in
        let (sum, overflow) = limit.addingReportingOverflow(time)
        return overflow ? limit : sum
      }
    }
    return TimeSpan(since: moved(since, -time), until: moved(until, time))
  }
}
