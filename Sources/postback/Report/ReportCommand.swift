internal import PostbackServer
internal import CopySettlement
internal import Analysis
internal import CampaignEnrichment
internal import DerivedTables
internal import DurableFiles
internal import FraudSignals
internal import NullValueModelling
internal import PostbackPipeline
internal import PostbackVerification
internal import Reporting
internal import SearchAdsReports
internal import Signatures
internal import TableReading
internal import Tables
internal import Tampering
internal import VendorReports

/// `postback report`: writes an HTML report on the tables of one or more runs.
struct ReportCommand: Command {
  struct Options: OptionGroup {
    let file = Option("-o, --html FILE", "Write the page to this file; - is standard output.")
      .configured { $0.derived.report }.value(.text)
    let overwrites = Option("--force", "Overwrite the file if it exists.")
      .configured { $0.derived.report != nil }.isGiven
    let sample = Option("--sample N", "Include at most N rejects in the page; default 2000.")
      .value(.integer(in: 0...20_000), else: 2000)
    let wantsDiagnosis = Option(
      "--diagnose",
      "Find the edits of the sample's rejects whose signature is invalid, and show rejects with the\nsame signature or transaction side by side. Takes a while."
    ).isGiven
    let implementation = Option(
      "--implementation FILE",
      "Include the findings in this file, which validate-implementation --json printed."
    ).value(.text)
    let jobs = Option.jobs()
    let configuration = ConfigurationOption()
    let reprocessed = ReprocessedOptions()
    let keys = KeyOptions()
  }

  static let manual = Manual(
    name: "report",
    summary:
      "Write an HTML report on the tables of one or more runs: the outcomes, the senders, the rejects.",
    usage: "OUT… --html FILE [--force] [--sample N] [--diagnose]",
    discussion: """
      OUT is the --out folder of run or watch. The page is one file that loads nothing from the network, so it may be mailed.
      All received data is shown as text. The page begins with at most five findings: what the tests of rejects --signals
      find, what --diagnose proves, and what is merely counted. Its filters are in its address. The page holds a sample of the
      rejects, drawn evenly from each code and the same each time, and says so. Exit status: 0; 64 usage, 65 some lines of the
      tables are not rows or the file of --implementation is wrong, 66 the tables do not exist, 73 the file exists already or
      cannot be created, 74 I/O.
      """,
    options: Options.options,
    example: "postback report out --html report.html"
  )

  /// The maximum number of groups of related rejects that the page shows: by signature, and as many by transaction.
  private static let mostRelated = 25

  /// The tests of signals that an earlier step has made, which the page shows if they are of the same rows.
  var signals: KnownSignals?
  private let paths: [String]
  private let file: String
  private let options: Options
  private let trustedKeys: Trust
  private let implementation: ImplementationSection?

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw CommandFailure(.usage, "No tables are given. Give the --out folder of a run.") }
    options = try arguments.read()
    guard let file = options.file, !file.isEmpty else {
      throw CommandFailure(.usage, "No file for the page is given. Name it with --html.")
    }
    self.file = file
    trustedKeys = try options.keys.trust()
    implementation = try options.implementation.map { path throws(CommandFailure) in
      try ImplementationSection(reading: path)
    }
  }

  func run() async throws(CommandFailure) {
    do {
      let progress = AnalysisProgressLine()
      defer { progress.clear() }
      let tables = try options.reprocessed.tables(at: paths, progress: progress.handler)
      let (rejects, accepted) = (tables.rejects, tables.postbacks)
      guard accepted.isOfWholeRuns else {
        throw CommandFailure(.usage, "A report needs accepted postbacks too. Give the --out folders of runs.")
      }
      let snapshots = try paths.map { path throws(FileFailure) in try DerivedSnapshot(of: path) }
      defer { withExtendedLifetime(snapshots) {} }
      let output = try OutputFile(
        file,
        overwrites: options.overwrites,
        advice: "Give --force to overwrite it, or another name."
      )
      let cache = paths.count == 1 ? DerivedStore.page(in: paths[0], program: Main.version) : nil
      let report = try await Report(
        rejects: rejects,
        accepted: accepted,
        sampleLimit: options.sample,
        cache: cache,
        jobs: options.jobs
      )
      var findings: ReportFindings?
      if options.wantsDiagnosis {
        let lines = report.sample.rows.map(\.line)
        let context = try await DiagnosisContext(
          of: accepted,
          signatures: DiagnosedReject.signatures(of: lines),
          jobs: options.jobs
        )
        let diagnoses = try await DiagnosedReject.diagnose(
          lines,
          trust: trustedKeys,
          context: context,
          jobs: options.jobs,
          progress: progress.handler
        )
        let related = try await RelatedRejects(
          RejectQuery(grouping: []),
          rejects: rejects,
          accepted: accepted,
          limit: Self.mostRelated,
          jobs: options.jobs
        )
        findings = ReportFindings(diagnoses: diagnoses, related: related, sample: report.sample)
      }
      let signals = try await KnownSignals(
        self.signals,
        rejects: rejects,
        accepted: accepted,
        settled: try single(snapshots).flatMap { snapshot in try TableFiles(derived: .settled, of: snapshot) },
        enriched: try single(snapshots).flatMap { snapshot in try TableFiles(derived: .enriched, of: snapshot) },
        models: try paths.flatMap(ModelMeanings.models),
        lateAfterDays: SignalSection.lateDays,
        jobs: options.jobs
      )
      let business = try await business(snapshots)
      let page = ReportPage(
        report: report,
        signals: SignalSection(
          report: signals.report,
          tested: (report.funnel.last { $0.name == "unique" }?.count ?? 0, report.rejectCount)
        ),
        business: business,
        modelled: try await modelled(business, single(snapshots)),
        trust: try trust(single(snapshots)),
        findings: findings,
        searchAds: try await searchAds(single(snapshots)),
        vendors: try await vendors(single(snapshots)),
        forwarded: try await forwarded(single(snapshots), cache),
        implementation: implementation,
        settled: try single(snapshots).flatMap { snapshot in try SettledRevenue(in: snapshot.folder) },
        paths: paths
      )
      try output.write(Array(try page.html().markup.utf8))
      try output.publish()
      // Among these are rows that were removed from the tables because of their age.
      try cache?.removeOthers(of: PartCache.Kind.allCases)
      try report.unreadable.throwIfAny()
    } catch {
      throw CommandFailure(of: error)
    }
  }

  /// The derived tables, if the report is of one output.
  private func single(_ snapshots: [DerivedSnapshot]) -> DerivedSnapshot? {
    snapshots.count == 1 ? snapshots.first : nil
  }

  private func forwarded(_ snapshot: DerivedSnapshot?, _ cache: PartCache?) async throws -> [ForwardedValues]? {
    guard let snapshot else { return nil }
    return try await ForwardedValues.read(in: snapshot.folder, cache: cache, jobs: options.jobs)
  }

  /// Reads the daily report; nil unless one of the outputs has it. Reports of several outputs are not added, since the
  /// same costs may be in each of them.
  private func business(_ snapshots: [DerivedSnapshot]) async throws -> BusinessSection? {
    var found: [BusinessReport] = []
    for snapshot in snapshots {
      if let business = try await BusinessReport(in: snapshot.folder, jobs: options.jobs) { found.append(business) }
    }
    return found.count == 1 ? found.first.map { BusinessSection(business: $0) } : nil
  }

  /// Reads the attributions of Apple Search Ads; nil unless one of the outputs has them. Those of several outputs are not
  /// added, since a token may be in each of them.
  private func searchAds(_ snapshot: DerivedSnapshot?) async throws -> SearchAdsSection? {
    var found: [SearchAdsBreakdown] = []
    for path in paths {
      if let attributions = try await SearchAdsBreakdown(in: path, jobs: options.jobs) { found.append(attributions) }
    }
    guard found.count == 1, let attributions = found.first else { return nil }
    let placements = try snapshot.map { try SearchAdsPlacement.read(in: $0.folder) } ?? []
    return SearchAdsSection(attributions: attributions, placements: placements)
  }

  /// Reads what vendors' exports count, if the report is of one output that has any.
  private func vendors(_ snapshot: DerivedSnapshot?) async throws -> VendorSection? {
    guard let snapshot, let files = try TableFiles(derived: .vendorDaily, of: snapshot) else { return nil }
    let reports = try VendorReport.read(in: snapshot.place(of: .vendorDaily))
    guard !reports.isEmpty else { return nil }
    return VendorSection(reports: reports, breakdowns: try await VendorBreakdown.read(files, jobs: options.jobs))
  }

  /// Reads the revenue of null postbacks, if the report is of one output.
  private func modelled(
    _ business: BusinessSection?,
    _ snapshot: DerivedSnapshot?
  ) async throws -> ModelledSection {
    var totals: [NullRevenueTotal]?
    if let snapshot { totals = try await NullRevenueTotal.read(in: snapshot.folder, jobs: options.jobs) }
    return ModelledSection(totals: totals, appNames: business?.business.appNames ?? [:])
  }

  /// Reads the comparison of copies, if the report is of one output.
  private func trust(_ snapshot: DerivedSnapshot?) throws(FileFailure) -> TrustTable {
    guard let snapshot else { return TrustTable(forwarders: nil, output: "OUT") }
    return TrustTable(forwarders: try ForwarderTrust.read(in: snapshot.folder), output: paths[0])
  }
}
