internal import Analysis
internal import PostbackPipeline
internal import Signatures

/// `postback report`: writes an HTML report on the tables of one or more runs.
struct ReportCommand: Command {
  static let manual = Manual(
    name: "report",
    summary:
      "Make an HTML page of the tables of one or many runs: what came of the records, who sends what, each reject.",
    usage: "OUT… --html FILE [--force] [--sample N] [--diagnose]",
    discussion: """
      OUT is the folder that --out of run or watch named. The page is one file that needs no network, and asks nobody for
      anything: it may be mailed. Whatever was sent shows as text. Rejects are embedded as a sample, as many of each code as
      fit, drawn evenly and the same each time; the page says so. Exit status: 0; 64 usage, 65 some lines of the tables are
      no rows, 66 no such tables, 73 the file cannot be created or is there already, 74 I/O.
      """,
    options: [
      Option("--html", "FILE", "Where the page goes; - is standard output.", short: "-o"),
      Option("--force", nil, "Overwrite the file if it is there already."),
      Option("--sample", "N", "The most rejects that the page has; 2000 unless given."),
      Option(
        "--diagnose",
        nil,
        "Say what was done to the rejects of the sample whose signature does not fit, and show\ntogether what differs though signature or transaction are the same. Takes a while."
      ),
      Option("--jobs", "N", "Batches read at once; as many as there are cores unless given."),
    ] + FedBackOptions.options + TrustOptions.keyOptions,
    example: "postback report out --html report.html"
  )

  /// The maximum number of groups of related rejects that the page shows, by signature and by transaction each.
  private static let mostRelated = 25

  private let paths: [String]
  private let file: String
  private let overwrites: Bool
  private let sample: Int
  private let jobs: Int
  private let wantsDiagnosis: Bool
  private let trust: Trust
  private let fedBack: FedBackOptions.Choice

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw CommandFailure(.usage, "say of what: give the folder that --out named") }
    guard let file = arguments.value("--html"), !file.isEmpty else {
      throw CommandFailure(.usage, "give --html, the file for the page")
    }
    self.file = file
    overwrites = arguments.has("--force")
    sample = try arguments.integer("--sample", in: 0...20_000) ?? 2000
    jobs = try arguments.jobs()
    wantsDiagnosis = arguments.has("--diagnose")
    trust = try TrustOptions.trust(arguments)
    fedBack = FedBackOptions.Choice(arguments)
  }

  func run() async throws(CommandFailure) {
    do {
      let progress = AnalysisProgressLine()
      defer { progress.clear() }
      var rejects = try FedBackOptions.chosen(try TableFiles(.rejects, at: paths), fedBack)
      var accepted = try TableFiles(.postbacks, at: paths)
      rejects.progress = progress.handler
      accepted.progress = progress.handler
      guard accepted.isOfWholeRuns else {
        throw CommandFailure(.usage, "a report needs accepted postbacks too; give the folders that --out named")
      }
      let output = try OutputFile(
        file,
        overwrites: overwrites,
        advice: "give --force to overwrite it, or another name"
      )
      let report = try await Report(rejects: rejects, accepted: accepted, sampleLimit: sample, jobs: jobs)
      var findings: ReportFindings?
      if wantsDiagnosis {
        let context = try await DiagnosisContext(of: accepted, jobs: jobs)
        let diagnoses = try await DiagnosedReject.diagnose(
          report.sample.rows.map(\.line),
          trust: trust,
          context: context,
          jobs: jobs,
          progress: progress.handler
        )
        let related = try await RelatedRejects(
          RejectQuery(grouping: []),
          rejects: rejects,
          accepted: accepted,
          limit: Self.mostRelated,
          jobs: jobs
        )
        findings = ReportFindings(diagnoses: diagnoses, related: related)
      }
      try output.write(Array(try ReportPage(report: report, findings: findings, paths: paths).html().markup.utf8))
      try output.publish()
      try report.unreadable.complain()
    } catch let failure as ReadFailure {
      throw CommandFailure(.read(failure))
    } catch let failure as PipelineFailure {
      throw CommandFailure(failure)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.software, "\(error)")
    }
  }
}
