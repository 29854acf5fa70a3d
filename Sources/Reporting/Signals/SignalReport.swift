package import Analysis
internal import ConversionModel
package import PostbackPipeline
package import Tables

/// All tests of the accepted postbacks and of their copies.
///
/// A signal proves nothing: it shows where to look. The p-values are corrected with Holm's method, so that the chance of any
/// alarm without a cause is at most 5 % for a report, not for a test: an analyst who finds one alarm on a clean day in
/// twenty still trusts the others. A false discovery rate, which Benjamini and Hochberg's method bounds, would allow more.
package struct SignalReport: Sendable {
  /// A test that could not be made.
  package struct Omission: Sendable {
    /// The test.
    package let name: SignalName
    /// The reason, and the remedy, as sentences.
    package let reason: String
  }

  /// The tests, those with the least p-value first.
  package let tests: [SignalTest]
  /// The tests that could not be made.
  package let omissions: [Omission]
  /// The number of copies, postbacks and transactions that are left out, because there are too many.
  package let leftOut: Int
  /// The lines that are not rows.
  package let unreadable: UnreadableRows

  /// The tests that raise an alarm.
  package var alarms: [SignalTest] { tests.filter(\.isAlarm) }

  /// Reads the tables. Of the query, only the span of time and the conditions on columns of both tables apply. A copy is
  /// late if it comes more than `days` days after the first.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    settled: TableFiles?,
    enriched: TableFiles?,
    lateAfterDays days: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    var copies = SentCopies()
    let rejectFilter = RowFilter(query.sharedConditions, during: query.span, in: .rejects)
    try await rejects.scan(jobs: jobs) { batch in
      SentCopies(batch, rejectFilter)
    } take: { part in
      copies.merge(part)
    }
    copies.sort()
    let counter = SignalCounter(
      filter: RowFilter(query.sharedConditions, during: query.span, in: .postbacks),
      copies: copies,
      lateAfter: Int64(days) * 86_400_000
    )
    var (settled, enriched) = (settled, enriched)
    var counts = try await Self.count(accepted, settled: settled, enriched: enriched, counter, jobs: jobs)
    if counts.isMisaligned {
      (settled, enriched) = (nil, nil)
      counts = try await Self.count(accepted, settled: nil, enriched: nil, counter, jobs: jobs)
    }
    counts.rates += copies.rates
    counts.transactions.addRates(to: &counts.rates)
    var tests = counts.rates.tests() + ClusterTests(counts.clusters).all()
    let corrected = holmCorrected(tests.map(\.pValue))
    for index in tests.indices {
      tests[index].correctedPValue = corrected[index]
      if let fields = tests[index].name.comparedFields {
        let summary = counts.changes.summary(of: tests[index].party.name, fields)
        (tests[index].change, tests[index].money) = (summary.change, summary.money)
      }
    }
    self.tests = tests.sorted {
      ($0.pValue, $0.name.rawValue, $0.party, $0.app ?? "", $0.value ?? "")
        < ($1.pValue, $1.name.rawValue, $1.party, $1.app ?? "", $1.value ?? "")
    }
    let made = Set(tests.map(\.name))
    omissions = SignalName.allCases.filter { !made.contains($0) }.map { name in
      Omission(name: name, reason: name.reasonOfOmission(hasSettled: settled != nil, hasEnriched: enriched != nil))
    }
    leftOut = copies.unfollowed + counts.uncounted + counts.transactions.unfollowed
    var unreadable = copies.unreadable
    unreadable += counts.unreadable
    self.unreadable = unreadable
  }

  private static func count(
    _ accepted: TableFiles,
    settled: TableFiles?,
    enriched: TableFiles?,
    _ counter: SignalCounter,
    jobs: Int
  ) async throws(PipelineFailure) -> SignalCounts {
    var counts = SignalCounts()
    var settledRows = settled.map { AlignedRows($0) }
    var enrichedRows = enriched.map { AlignedRows($0) }
    try await accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      SignalCounter.Beside(
        settled: try await settledRows?.next(beside: batch),
        enriched: try await enrichedRows?.next(beside: batch)
      )
    } _: { batch, beside in
      counter.count(batch, beside)
    } take: { part in
      counts.merge(part)
    }
    return counts
  }
}

extension SignalName {
  /// The columns whose changes the test is about; nil if it is about none.
  fileprivate var comparedFields: Set<String>? {
    switch self {
    case .raisedValues:
      [UnsignedField.conversionValue.name.rawValue, UnsignedField.coarseConversionValue.name.rawValue]
    case .changedCountries: [UnsignedField.countryCode.name.rawValue]
    default: nil
    }
  }

  fileprivate func reasonOfOmission(hasSettled: Bool, hasEnriched: Bool) -> String {
    switch self {
    case .missingForwarded, .raisedValues, .changedCountries:
      hasSettled
        ? "Too few postbacks have a device's own copy."
        : "There is no skan_settled of these postbacks. Run postback settle with the lookup tables, and give one folder."
    case .unknownCampaigns, .inactiveCampaigns:
      hasEnriched
        ? "Too few postbacks were looked up."
        : "There is no skan_enriched of these postbacks. Run postback enrich with the lookup tables, and give one folder."
    case .fineValues, .coarseValues, .redownloads, .countries:
      "There are not two parties with two campaigns each and 30 values."
    default: "No party has 30 records."
    }
  }
}
