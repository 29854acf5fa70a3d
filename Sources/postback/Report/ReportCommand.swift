internal import Analysis
internal import DerivedTables
internal import DurableFiles
internal import PostbackPipeline
internal import PostbackServer
internal import PostbackVerification
internal import ReportPages
internal import Reporting
internal import TableReading
internal import Tampering

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
  private let trustedKeys: TrustPolicy
  private let implementation: ImplementationSection?

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(orAdvise: "No tables are given. Give the --out folder of a run.")
    options = try arguments.read()
    guard let file = options.file, !file.isEmpty else {
      throw CommandFailure(.usage, "No file for the page is given. Name it with --html.")
    }
    self.file = file
    trustedKeys = try options.keys.trust()
    implementation = try options.implementation.map(Self.implementation)
  }

  /// Throws unless the page of a configuration may be written to this path: nothing is there, or an earlier page, or neither a
  /// regular file nor a folder.
  static func verifyPlace(_ file: String) throws {
    if (try? InputFile.isFolder(file)) == true {
      throw CommandFailure(.cannotCreate, "\(file): This is a folder. Give the page the name of a file.")
    }
    let opening = "<!doctype html>"
    let first = try WholeFile.opening(file, opening.utf8.count)
    guard let first, !first.isEmpty, !first.elementsEqual(opening.utf8) else { return }
    throw CommandFailure(
      .cannotCreate,
      "\(file): The file is no HTML page, and is not overwritten. Give the page another name."
    )
  }

  func run() async throws {
    HeapSettings.giveFreeMemoryBack()
    // Nobody looks at what a configuration overwrites each night.
    if options.configuration.path != nil { try Self.verifyPlace(file) }
    let progress = ProgressLine()
    defer { progress.clear() }
    let tables = try options.reprocessed.tables(at: paths, progress: progress.handler)
    let (rejects, accepted) = (tables.rejects, tables.postbacks)
    guard accepted.isOfWholeRuns else {
      throw CommandFailure(.usage, "A report needs accepted postbacks too. Give the --out folders of runs.")
    }
    let advice = "Give --force to overwrite it, or another name."
    let output = try OutputFile(file, overwrites: options.overwrites, advice: advice)
    let cache = paths.count == 1 ? DerivedStore.page(in: paths[0], program: Main.version) : nil
    let derived = DerivedManifest.path(in: paths[0])
    let (manifest, made) = (try? DurableFile(derived, .reading), Self.modified(derived))
    var sources = try ReportSources(paths: paths, tables: tables)
    (sources.cache, sources.signals) = (cache, signals)
    (sources.sampleLimit, sources.jobs) = (options.sample, options.jobs)
    var content = try await sources.content().content
    let report = content.report
    if options.wantsDiagnosis { content.diagnosis = try await diagnosis(report, rejects, accepted, progress) }
    content.implementation = implementation
    try output.write(try ReportPage(content).bytes())
    try output.publish()
    // A page of derived tables that are others by now is as old as they were, so that the next refresh makes it again.
    if let manifest, file != OutputFile.standardOutputPath, Self.modified(derived) != made {
      try DurableFile(file, .reading).keepTime(of: manifest)
    }
    // Among these are rows that were removed from the tables because of their age.
    try cache?.removeOthers(of: PartCache.Kind.allCases)
    try report.unreadable.throwIfAny()
  }

  /// The time of modification of a file; nil if there is none.
  static func modified(_ path: String) -> Int64? { (try? InputFile.enumerate([path]))?.first?.modified }

  /// Finds the edits of the sampled rejects, and the rejects that are related by a signature or a transaction.
  private func diagnosis(
    _ report: RejectReport,
    _ rejects: TableFiles,
    _ accepted: TableFiles,
    _ progress: ProgressLine
  ) async throws -> (rejects: [DiagnosedReject], related: RelatedRejects) {
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
    return (diagnoses, related)
  }

  private static let longestAnswer = 64 << 20

  /// Reads the answer of `validate-implementation` in a file.
  private static func implementation(in path: String) throws -> ImplementationSection {
    let text = try WholeFile.read(path, upTo: longestAnswer)
    guard let section = ImplementationSection(parsing: text) else {
      throw CommandFailure(
        .configuration,
        "\(path): This is not the answer of validate-implementation. Make it with postback validate-implementation FILE… --json."
      )
    }
    return section
  }
}
