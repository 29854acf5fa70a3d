internal import Analysis
internal import CampaignEnrichment
internal import CopySettlement
package import DerivedTables
package import DurableFiles
internal import FraudSignals
internal import NullValueModelling
package import PostbackPipeline
package import Reporting
internal import SearchAdsReports
package import TableReading
internal import VendorReports

/// The tables that a report is made of, and what is known of them already.
package struct ReportSources: Sendable {
  /// The paths of the tables, as they were given.
  package let paths: [String]
  /// The tables of the runs.
  package let tables: RunTables
  /// The derived tables of each output, which stay as they are meanwhile.
  package let snapshots: [DerivedSnapshot]
  /// The counts of parts for the page and for the signals; nil if none are kept.
  package var cache: PartCache?
  /// The tests of signals that were made before.
  package var signals: KnownSignals?
  /// The number of rejects that are kept whole.
  package var sampleLimit = 2000
  /// The number of batches that are read at once.
  package var jobs = 1

  /// Takes the tables at some paths.
  package init(paths: [String], tables: RunTables) throws(FileFailure) {
    (self.paths, self.tables) = (paths, tables)
    snapshots = try paths.map { path throws(FileFailure) in try DerivedSnapshot(of: path) }
  }

  /// The derived tables, if the report is of one output.
  private var single: DerivedSnapshot? { snapshots.count == 1 ? snapshots.first : nil }

  /// Reads everything that a page shows unless it is asked for by an option, and the tests of signals for a later report.
  package func content() async throws(PipelineFailure) -> (content: ReportContent, signals: KnownSignals) {
    let inputs = try PipelineFailure.state { () throws(FileFailure) in
      var inputs = SignalInputs(rejects: tables.rejects, accepted: tables.postbacks)
      inputs.since = try tables.completeSince()
      for path in paths { inputs.models += try ModelMeanings.models(ofRun: path) }
      guard let single else { return inputs }
      inputs.settled = try TableFiles(derived: .settled, of: single)
      inputs.enriched = try TableFiles(derived: .enriched, of: single)
      return inputs
    }
    // Where nothing of some rows is known, all are read once.
    let isNew = cache == nil && signals == nil
    let (report, signals) = isNew ? try await readOnce(inputs) : try await readApart(inputs)
    var content = ReportContent(report: report, signals: signals.report, paths: paths)
    content.business = try await business()
    try await readSearchAds(&content)
    if let single {
      content.nullRevenue = try await NullRevenueTotal.read(of: single, jobs: jobs)
      content.forwarded = try await ForwardedValues.read(in: single.folder, cache: cache, jobs: jobs)
      content.forwarders = try PipelineFailure.state { () throws(FileFailure) in
        try ForwarderAgreement.read(in: single.folder)
      }
      content.settled = try PipelineFailure.state { () throws(FileFailure) in try SettledRevenue(in: single.folder) }
      content.vendors = try await vendors(single)
    }
    return (content, signals)
  }

  /// Reads the rows of the tables once for the report and for the tests.
  private func readOnce(_ inputs: SignalInputs) async throws(PipelineFailure) -> (RejectReport, KnownSignals) {
    var total = ReportTotal(sampleLimit: sampleLimit)
    let counting = total.counting
    let signals = try await KnownSignals(
      of: inputs,
      jobs: jobs,
      besideRejects: { counting.rejects(in: $0) },
      besideAccepted: { counting.accepted(in: $0) },
      take: { total.add($0) }
    )
    return (RejectReport(total), signals)
  }

  /// Makes the tests, which need the most memory and leave little behind, and then the report.
  private func readApart(_ inputs: SignalInputs) async throws(PipelineFailure) -> (RejectReport, KnownSignals) {
    let signals = try await KnownSignals(self.signals, of: inputs, jobs: jobs, cache: cache)
    let report = try await RejectReport(
      rejects: tables.rejects,
      accepted: tables.postbacks,
      sampleLimit: sampleLimit,
      cache: cache,
      jobs: jobs
    )
    return (report, signals)
  }

  /// Reads the daily report; nil unless one of the outputs has it. Reports of several outputs are not added, since the
  /// same costs may be in each of them.
  private func business() async throws(PipelineFailure) -> BusinessReport? {
    var found: [BusinessReport] = []
    for snapshot in snapshots {
      if let business = try await BusinessReport(of: snapshot, jobs: jobs) { found.append(business) }
    }
    return found.count == 1 ? found.first : nil
  }

  /// Reads the attributions of Apple Search Ads, if one of the outputs has them. Those of several outputs are not added, since a
  /// token may be in each of them.
  private func readSearchAds(_ content: inout ReportContent) async throws(PipelineFailure) {
    var found: [SearchAdsBreakdown] = []
    for path in paths {
      if let attributions = try await SearchAdsBreakdown(in: path, jobs: jobs) { found.append(attributions) }
    }
    guard found.count == 1, let attributions = found.first else { return }
    content.searchAds = attributions
    guard let single else { return }
    content.placements = try PipelineFailure.state { () throws(FileFailure) in
      try SearchAdsPlacement.read(in: single.folder)
    }
  }

  /// Reads what vendors' exports count; nil if the output has none.
  private func vendors(_ snapshot: DerivedSnapshot) async throws(PipelineFailure) -> (
    reports: [VendorReport], breakdowns: [VendorBreakdown]
  )? {
    let files = try PipelineFailure.state { () throws(FileFailure) in
      try TableFiles(derived: .vendorDaily, of: snapshot)
    }
    guard let files else { return nil }
    let reports = try PipelineFailure.state { () throws(FileFailure) in
      try VendorReport.read(in: snapshot.place(of: .vendorDaily))
    }
    guard !reports.isEmpty else { return nil }
    return (reports, try await VendorBreakdown.read(files, jobs: jobs))
  }
}
