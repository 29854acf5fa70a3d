internal import DurableFiles
internal import Glibc

/// The benchmark program: it measures postback, with openssl for comparison, and writes a report.
@main
struct Benchmarks {
  private let options: Options
  private var folder: String
  private let program: String
  private let postback: String
  private var report: Report
  private let hasOpenSSL = ProcessRun.isInstalled("openssl")
  private var lastSpeed: OpenSSLSpeed?

  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    if words.contains("--help") || words.contains("-h") { return print(Options.help) }
    do {
      let options = try Options(words)
      if let keys = options.indexKeys { return print(try IndexBenchmark.text(keys: keys)) }
      if let (before, after) = options.compared {
        let comparison = try ReportComparison(before: before, after: after)
        print(comparison.text)
        exit(comparison.isWorse ? 1 : 0)
      }
      if let output = options.feed { return try await ConsumerBenchmark.follow(output) }
      let folder = try options.history.map { try DurableFolder(making: $0).path } ?? TemporaryFolder.make()
      defer { if options.history == nil { try? TemporaryFolder.remove(folder) } }
      complain("working in \(folder)")
      if let keys = options.stateKeys {
        let measures = try LargeStateBenchmark(keys: keys, folder: "\(folder)/state").measures()
        return print(Report(facts: Machine.facts, sections: [.init(title: "Large state", measures: measures)]).text)
      }
      if options.measuresDiagnosis { return try await diagnosis(options) }
      var benchmarks = try Benchmarks(options, folder: folder)
      if options.measuresResends {
        try benchmarks.measureResends()
      } else if options.measuresStages {
        try await benchmarks.runStages()
      } else if options.measuresRefresh || options.measuresView {
        let refresh = RefreshBenchmark(
          postback: benchmarks.postback,
          folder: folder,
          lines: options.postbacks,
          liveSeconds: options.isQuick ? 150 : 300
        )
        if options.measuresView {
          let found = try await ViewBenchmark(history: refresh).measures()
          benchmarks.add("View", found.measures)
          benchmarks.report.skipped += found.skipped
          return try benchmarks.write()
        }
        benchmarks.add("Refresh", try await refresh.measures())
      } else if options.isGuard {
        return try await benchmarks.compareWithRelease()
      } else {
        try await benchmarks.run()
      }
      try benchmarks.write()
    } catch {
      complain("Benchmarks: \(error)")
      exit(1)
    }
  }

  private init(_ options: Options, folder: String) throws {
    self.options = options
    self.folder = folder
    program = try Self.programPath()
    postback = try options.postback ?? Self.postbackPath(beside: program)
    guard unsafe access(options.models, R_OK) == 0 else {
      throw BenchmarkFailure("\(options.models) cannot be read; start from the root of the package, or give --models")
    }
    report = Report(facts: Machine.facts)
    #if DEBUG
      report.facts.append(("build", "debug: compare nothing with this, use swift run -c release"))
    #endif
    if !hasOpenSSL { report.skipped.append("ratios: there is no openssl command") }
  }

  /// Runs the small set three times, and compares it with the figures of the last release; fails if one became worse.
  private mutating func compareWithRelease() async throws {
    var files: [String] = []
    let root = folder
    for run in 1...3 {
      Self.complain("run \(run) of 3")
      folder = try DurableFolder(making: "\(root)/\(run)").path
      (report.sections, lastSpeed) = ([], nil)
      try await self.run()
      try TemporaryFolder.remove(folder)
      files.append("\(root)/\(run).json")
      try WholeFile.write(report.json, to: "\(root)/\(run).json")
    }
    if let path = options.jsonPath { try WholeFile.write(report.json, to: path) }
    let comparison = try ReportComparison(before: ["Fixtures/benchmarks.json"], after: files)
    print(comparison.text)
    if comparison.isWorse { throw BenchmarkFailure("a figure became worse by more than the noise") }
  }

  /// Runs the measures that are wanted. Those in processes of their own come first, while this process is small.
  private mutating func run() async throws {
    // The dumps of all measures are the beginning of the longest.
    var lengths = [options.postbacks]
    if options.wants("resends") { lengths.append(resends.postbacks) }
    if options.wants("scale"), !options.isQuick { lengths.append(options.postbacks / 4 * 10) }
    let longest = lengths.max() ?? 0
    Self.complain("generating \(longest) postbacks")
    _ = try Dump.generate(longest, in: folder, by: postback)
    let dump = try Dump.generate(options.postbacks, in: folder, by: postback)
    try measurePipeline(dump)
    if options.wants("resends") { try measureResends() }
    if options.wants("startup") {
      let one = try dump.first(1, to: "\(folder)/one.jsonl")
      add("Start-up", try StartupBenchmark.measures(postback, one, models: options.models))
    }
    if options.wants("conversion-values") {
      let answers = try ConversionValueBenchmark.measures(models: options.models)
      add("Conversion value API, without HTTP, one thread", answers)
    }
    if options.wants("exactly-once") { try await measureConsumer(dump) }
    if options.wants("rejects") {
      Self.complain("counting rejects")
      add("Counting rejects", try RejectsBenchmark(postback: postback, folder: folder).measures(options.postbacks))
    }
    if options.wants("reporting") { try await measureReporting() }
    if options.wants("index") { try measureIndex() }
    if options.wants("verification") { try await measureVerification(dump) }
    if options.wants("stages") { try await measureStages(dump) }
  }

  private mutating func measureConsumer(_ dump: Dump) async throws {
    Self.complain("committing, recovering, and watching a spool")
    let consumer = ConsumerBenchmark(pipeline: pipeline, dump: dump)
    let (files, keys) = options.isQuick ? (10_000, 1_000_000) : (100_000, 10_000_000)
    add("Exactly once", try await consumer.measures(smallFiles: min(files, options.postbacks), keys: keys))
  }

  private mutating func measureReporting() async throws {
    Self.complain("enriching, settling and counting by day")
    let reporting = try await ReportingBenchmark(postback: postback, folder: folder).measures(options.postbacks)
    add("Reporting", reporting)
    if !reporting.contains(where: { $0.id == "reporting.duckdb" }) {
      report.skipped.append("DuckDB: python3 with the package duckdb is not installed")
    }
  }

  private mutating func measureVerification(_ dump: Dump) async throws {
    lastSpeed = nil
    Self.complain("verifying")
    let verify = try await VerifyBenchmark(dump)
    let before = try speed()
    let verified = try verify.measures(in: folder)
    if !verified.contains(where: { $0.id == "verify.python" }) {
      report.skipped.append("Python: python3 with the package cryptography is not installed")
    }
    try append("Verification alone", verified, after: before)
  }

  /// Runs only what the stages are compared with, and the stages.
  private mutating func runStages() async throws {
    Self.complain("generating \(options.postbacks) postbacks")
    let dump = try Dump.generate(options.postbacks, in: folder, by: postback)
    Self.complain("running postback run")
    let before = try speed()
    let measures = try pipeline.measures(dump, "plain", format: "both", jobs: Machine.cores)
    try append("postback run, process start to end", measures, after: before)
    try await measureStages(dump)
  }

  private mutating func measureStages(_ dump: Dump) async throws {
    Self.complain("running each stage")
    let before = try speed()
    guard let processorTime = report.processorTime(of: "pipeline.plain.both.jobs_\(Machine.cores)") else {
      throw BenchmarkFailure("the stages are compared with a run, so give --only run,stages, or --stages")
    }
    let stages = try await StageBenchmark(folder: folder)
      .measures(dump, models: options.models, processorTime: processorTime)
    try append("Stages, one thread, a postback", stages, after: before)
  }

  private var pipeline: PipelineBenchmark {
    PipelineBenchmark(postback: postback, models: options.models, folder: folder)
  }

  private mutating func measurePipeline(_ dump: Dump) throws {
    if options.wants("run") {
      let resent = try dump.resent(to: "\(folder)/resent.jsonl")
      let gzip = ProcessRun.isInstalled("gzip") ? try dump.compressed() : nil
      if gzip == nil { report.skipped.append("gzip in: there is no gzip command") }
      Self.complain("running postback run")
      let before = try speed()
      var measures = try pipeline.measures(dump, gzip: gzip)
      measures.append(try pipeline.measure(resent, "nine_in_ten_resent", format: "both", jobs: Machine.cores))
      try append("postback run, process start to end", measures, after: before)
    }
    if options.wants("forgeries") {
      Self.complain("running it over forgeries")
      let forgeries = ForgeryBenchmark(pipeline: pipeline, count: options.postbacks / 4)
      let before = try speed()
      try append("Forgeries, jobs \(Machine.cores)", try forgeries.measures(), after: before)
    }
    guard options.wants("scale") else { return }
    guard !options.isQuick else {
      report.skipped.append("ten times as many postbacks, and an index of ten million keys: --quick")
      return
    }
    // Ten times a quarter of the postbacks, as all of them ten times would take as long as everything else.
    let (few, many) = (options.postbacks / 4, options.postbacks / 4 * 10)
    let small = try Dump.generate(few, in: folder, by: postback)
    let large = try Dump.generate(many, in: folder, by: postback)
    Self.complain("running postback run over them")
    lastSpeed = nil
    let beforeScale = try speed()
    try append("postback run, ten times as many", try pipeline.scale(from: small, to: large), after: beforeScale)
    for dump in [small, large] { try TemporaryFolder.remove(dump.path) }
  }

  private var resends: ResendBenchmark {
    let distance = options.isQuick ? 100_000 : 1_100_000
    return ResendBenchmark(
      pipeline: pipeline,
      distance: distance,
      count: distance / 11 * (options.measuresResends ? 10 : 5),
      timesEach: (distance: distance / 11 * 2, times: 10),
      runs: options.measuresResends ? 5 : 3
    )
  }

  private mutating func measureResends() throws {
    let resends = resends
    Self.complain("running it over resends of \(resends.distance) postbacks")
    let before = try speed()
    try append("Resends of earlier runs, jobs \(Machine.cores)", try resends.measures(), after: before)
  }

  private mutating func measureIndex() throws {
    var measures: [Measure] = []
    for keys in options.isQuick ? [1_000_000, 5_000_000] : [1_000_000, 5_000_000, 10_000_000] {
      Self.complain("filling an index with \(keys) keys")
      measures += try IndexBenchmark.measures(keys: keys, program)
    }
    add("Deduplication index", measures)
  }

  /// Returns the present speed of openssl, or that after the last group; nil if it is not installed.
  private mutating func speed() throws -> OpenSSLSpeed? {
    guard hasOpenSSL else { return nil }
    if let lastSpeed { return lastSpeed }
    Self.complain("running openssl speed")
    return try OpenSSLSpeed.measure(seconds: options.isQuick ? 1 : 2, cores: Machine.cores)
  }

  private mutating func add(_ title: String, _ measures: [Measure]) {
    report.sections.append(Report.Section(title: title, measures: measures))
  }

  private mutating func append(_ title: String, _ measures: [Measure], after before: OpenSSLSpeed?) throws {
    lastSpeed = nil
    guard let before, let after = try speed() else { return add(title, measures) }
    lastSpeed = after
    let speed = OpenSSLSpeed.mean(before, after)
    report.sections.append(
      Report.Section(title: title, measures: measures.map { $0.compared(with: speed) }, speed: speed)
    )
  }

  private func write() throws {
    var output = Array((report.text + "\n").utf8)
    if let path = options.jsonPath {
      try WholeFile.write(report.json, to: path)
    } else {
      output += report.json
    }
    guard output.writeAll(to: STDOUT_FILENO) else { throw BenchmarkFailure.system("standard output cannot be written") }
  }

  private static func complain(_ line: String) { _ = Array("\(line)\n".utf8).writeAll(to: STDERR_FILENO) }

  private static func diagnosis(_ options: Options) async throws {
    let (count, forgeries) = (options.postbacks, 80 * options.postbacks)
    try await DiagnosisBenchmark(count: count, forgeries: forgeries).run { line in
      _ = Array("\(line)\n".utf8).writeAll(to: STDOUT_FILENO)
    }
  }

  private static func postbackPath(beside program: String) throws(BenchmarkFailure) -> String {
    let postback =
      program.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/postback"
    guard unsafe access(postback, X_OK) == 0 else {
      throw BenchmarkFailure("\(postback) does not exist; build it with: swift build -c release")
    }
    return postback
  }

  private static func programPath() throws(BenchmarkFailure) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { throw .system("this program cannot be found") }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
