internal import Analysis
internal import DurableFiles
internal import Glibc
internal import PostbackPipeline
internal import PostbackVerification

/// The benchmark program: it measures postback, with openssl for comparison, and writes a report.
@main
struct Benchmarks {
  private let options: Options
  private let folder: String
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
      if let keys = options.indexKeys { return print(try IndexBenchmark(keys: keys).text) }
      if let output = options.feed { return try await ConsumerBenchmark.follow(output) }
      let folder = try TemporaryFolder.make()
      defer { try? TemporaryFolder.remove(folder) }
      complain("working in \(folder)")
      if let keys = options.stateKeys {
        let measures = try LargeStateBenchmark(keys: keys, folder: "\(folder)/state").measures()
        return print(Report(facts: Machine.facts, sections: [.init(title: "Large state", measures: measures)]).text)
      }
      if options.measuresDiagnosis { return try await diagnosis(options) }
      var benchmarks = try Benchmarks(options, folder: folder)
      if options.measuresResends {
        try await benchmarks.measureResends()
      } else if options.measuresStages {
        try await benchmarks.runStages()
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
    postback = try Self.postbackPath(beside: program)
    guard unsafe access(options.models, R_OK) == 0 else {
      throw BenchmarkFailure("\(options.models) cannot be read; start from the root of the package, or give --models")
    }
    report = Report(facts: Machine.facts)
    #if DEBUG
      report.facts.append(("build", "debug: compare nothing with this, use swift run -c release"))
    #endif
    if !hasOpenSSL { report.skipped.append("ratios: there is no openssl command") }
  }

  /// Runs all measures. Those in processes of their own come first, while this process is small.
  private mutating func run() async throws {
    Self.complain("generating \(options.postbacks) postbacks")
    let dump = try await Dump.generate(options.postbacks, in: folder)
    try await measurePipeline(dump)
    try await measureResends()
    let one = try dump.first(to: "\(folder)/one.jsonl")
    let startup = try StartupBenchmark.measures(postback, one, models: options.models)
    report.sections.append(Report.Section(title: "Start-up", measures: startup))
    let answers = try ConversionValueBenchmark.measures(models: options.models)
    report.sections.append(Report.Section(title: "Conversion value API, without HTTP, one thread", measures: answers))
    Self.complain("committing, recovering, and watching a spool")
    let consumer = ConsumerBenchmark(postback: postback, models: options.models, folder: folder, dump: dump)
    let (files, keys) = options.isQuick ? (10_000, 1_000_000) : (100_000, 10_000_000)
    let measures = try await consumer.measures(smallFiles: min(files, options.postbacks), keys: keys)
    report.sections.append(Report.Section(title: "Exactly once", measures: measures))
    Self.complain("counting rejects")
    let rejects = try await RejectsBenchmark(postback: postback, folder: folder).measures(options.postbacks)
    report.sections.append(Report.Section(title: "Counting rejects", measures: rejects))
    Self.complain("enriching, settling and counting by day")
    let reporting = try await ReportingBenchmark(postback: postback, folder: folder).measures(options.postbacks)
    report.sections.append(Report.Section(title: "Reporting", measures: reporting))
    if !reporting.contains(where: { $0.id == "reporting.duckdb" }) {
      report.skipped.append("DuckDB: python3 with the package duckdb is not installed")
    }
    try measureIndex()

    lastSpeed = nil
    Self.complain("verifying")
    let verify = try await VerifyBenchmark(dump)
    let before = try speed()
    let verified = try verify.measures(in: folder)
    if !verified.contains(where: { $0.id == "verify.python" }) {
      report.skipped.append("Python: python3 with the package cryptography is not installed")
    }
    try append("Verification alone", verified, after: before)

    try await measureStages(dump)
  }

  /// Runs only what the stages are compared with, and the stages.
  private mutating func runStages() async throws {
    Self.complain("generating \(options.postbacks) postbacks")
    let dump = try await Dump.generate(options.postbacks, in: folder)
    Self.complain("running postback run")
    let pipeline = PipelineBenchmark(postback: postback, models: options.models, folder: folder)
    let before = try speed()
    try append(
      "postback run, process start to end",
      try pipeline.measures(dump, "plain", format: "both", jobs: Machine.cores),
      after: before
    )
    try await measureStages(dump)
  }

  private mutating func measureStages(_ dump: Dump) async throws {
    Self.complain("running each stage")
    let before = try speed()
    guard let processorTime = report.processorTime(of: "pipeline.plain.both.jobs_\(Machine.cores)") else {
      throw BenchmarkFailure("postback run was not measured with both formats")
    }
    let stages = try await StageBenchmark(folder: folder)
      .measures(dump, models: options.models, processorTime: processorTime)
    try append("Stages, one thread, a postback", stages, after: before)
  }

  private mutating func measurePipeline(_ dump: Dump) async throws {
    let pipeline = PipelineBenchmark(postback: postback, models: options.models, folder: folder)
    var inputs = [("plain", dump)]
    if ProcessRun.isInstalled("gzip") {
      inputs.append(("gzip", try dump.compressed()))
    } else {
      report.skipped.append("gzip in: there is no gzip command")
    }
    Self.complain("running it over forgeries")
    let forgeries = ForgeryBenchmark(
      pipeline: pipeline,
      folder: folder,
      count: options.postbacks / 4
    )
    let beforeForgeries = try speed()
    try append("Forgeries, jobs \(Machine.cores)", try await forgeries.measures(), after: beforeForgeries)
    let resent = try dump.resent(to: "\(folder)/resent.jsonl")

    Self.complain("running postback run")
    let before = try speed()
    var measures = try pipeline.measures(inputs)
    measures.append(try pipeline.measure(resent, "nine_in_ten_resent", format: "both", jobs: Machine.cores))
    try append("postback run, process start to end", measures, after: before)

    guard !options.isQuick else {
      report.skipped.append("ten times as many postbacks, and an index of 10 M keys: --quick")
      return
    }
    Self.complain("generating \(options.postbacks * 10) postbacks")
    let large = try await Dump.generate(options.postbacks * 10, in: folder)
    Self.complain("running postback run over them")
    lastSpeed = nil
    let beforeScale = try speed()
    try append("postback run, ten times as many", try pipeline.scale(from: dump, to: large), after: beforeScale)
    try TemporaryFolder.remove(large.path)
  }

  private mutating func measureResends() async throws {
    let distance = options.isQuick ? 100_000 : 1_100_000
    Self.complain("running it over resends of \(distance) postbacks")
    let resends = ResendBenchmark(
      postback: postback,
      models: options.models,
      folder: folder,
      distance: distance,
      count: distance / 11 * 10
    )
    let before = try speed()
    try append("Resends of earlier runs, jobs \(Machine.cores)", try await resends.measures(), after: before)
  }

  private mutating func measureIndex() throws {
    var measures: [Measure] = []
    for keys in options.isQuick ? [1_000_000, 5_000_000] : [1_000_000, 5_000_000, 10_000_000] {
      Self.complain("filling an index with \(keys) keys")
      measures += try IndexBenchmark.measures(keys: keys, program)
    }
    report.sections.append(Report.Section(title: "Deduplication index", measures: measures))
  }

  /// Returns the present speed of openssl; nil if it is not installed. A measurement made just after the last group is
  /// used again.
  private mutating func speed() throws -> OpenSSLSpeed? {
    guard hasOpenSSL else { return nil }
    if let lastSpeed { return lastSpeed }
    Self.complain("running openssl speed")
    return try OpenSSLSpeed.measure(seconds: options.isQuick ? 1 : 3, cores: Machine.cores)
  }

  private mutating func append(_ title: String, _ measures: [Measure], after before: OpenSSLSpeed?) throws {
    lastSpeed = nil
    guard let before, let after = try speed() else {
      report.sections.append(Report.Section(title: title, measures: measures))
      return
    }
    lastSpeed = after
    let speed = OpenSSLSpeed.mean(before, after)
    report.sections.append(
      Report.Section(title: title, measures: measures.map { $0.compared(with: speed) }, speed: speed)
    )
  }

  private func write() throws {
    var output = Array((report.text + "\n").utf8)
    if let path = options.jsonPath {
      try FileBytes(writing: path).write(report.json)
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

/// The options of the command line.
struct Options {
  /// The number of postbacks in the dump for the measures; with `--diagnosis`, the number of edited lines of each kind.
  var postbacks: Int
  /// Indicates that the long measures are left out.
  var isQuick = false
  /// The path of the JSON report; nil writes it after the table.
  var jsonPath: String?
  /// The path of the conversion models: a file or a folder.
  var models = "Fixtures/models"
  /// Indicates that only the diagnosis of rejects is measured.
  var measuresDiagnosis = false
  /// Indicates that only resends are measured.
  var measuresResends = false
  /// Indicates that only a run and its stages are measured.
  var measuresStages = false
  /// The output whose table feed is to be followed; nil measures.
  var feed: String?
  /// The number of ids of the large state to measure; nil if none is measured.
  var stateKeys: Int?
  /// The number of keys of the index to measure, in the process that is started for it; nil in the main process.
  var indexKeys: Int?

  static let help = """
    Measures postback, with openssl speed for comparison.

    Usage: swift build -c release && .build/release/Benchmarks [--postbacks N] [--quick] [--json FILE] [--models PATH]
           [--diagnosis] [--resends] [--stages] [--state-keys N]
           .build/release/Benchmarks --feed DIR

    Options:
      --postbacks N  The number of postbacks in the generated dump; default: 400000, or 50000 with --quick.
      --quick        Leave out the dump of ten times N and the index of ten million keys; run openssl for one second.
      --json FILE    The file for the report as JSON; by default it is one line after the table.
      --diagnosis    Measure only the diagnosis of rejects: the share of edits that it recovers in generated dumps, its
                     findings on forgeries, and its duration. N is then the number of edited lines of each of seven kinds,
                     by default 250, and there are 80 N forgeries.
      --resends      Measure only exact resends of a million postbacks that an earlier run accepted.
      --stages       Measure only a run with both formats and each of its stages, with the share of what is serial.
      --feed DIR     Measure nothing. Follow skan_postbacks of the output DIR through the table feed, until killed, and print
                     each row after the milliseconds since 1970 at which it came, and a tab.
      --state-keys N Measure only a state with N ids, such as 100000000: 84 bytes of disk each, 36 more while it is made.
      --models PATH  The conversion models; default: Fixtures/models.

    The command postback must be built beside this program, as swift build does. Dumps and tables go to a folder in
    $TMPDIR, or else /tmp, which is removed at the end; they need about 20 kB for each of the N postbacks, 3 kB with
    --quick. Run nothing else on the machine meanwhile.
    """

  /// Reads the arguments of the command. Throws if an option or a value is unknown.
  init(_ words: some Sequence<String>) throws(BenchmarkFailure) {
    var words = words.makeIterator()
    var count: Int?
    while let word = words.next() {
      switch word {
      case "--quick": isQuick = true
      case "--diagnosis": measuresDiagnosis = true
      case "--resends": measuresResends = true
      case "--stages": measuresStages = true
      case "--postbacks": count = try Self.integer(words.next(), word, atLeast: 100)
      case Self.indexKeysName: indexKeys = try Self.integer(words.next(), word, atLeast: 1)
      case "--state-keys": stateKeys = try Self.integer(words.next(), word, atLeast: 1 << 20)
      case "--json": jsonPath = try Self.text(words.next(), word)
      case "--feed": feed = try Self.text(words.next(), word)
      case "--models": models = try Self.text(words.next(), word)
      default: throw BenchmarkFailure("there is no option \(word); see --help")
      }
    }
    postbacks = count ?? (measuresDiagnosis ? 250 : isQuick ? 50_000 : 400_000)
  }

  /// The internal option that measures the index in this process.
  static let indexKeysName = "--index-keys"

  private static func integer(_ word: String?, _ option: String, atLeast least: Int) throws(BenchmarkFailure) -> Int {
    guard let number = word.flatMap({ Int($0) }), number >= least else {
      throw BenchmarkFailure("\(option) needs an integer of at least \(least)")
    }
    return number
  }

  private static func text(_ word: String?, _ option: String) throws(BenchmarkFailure) -> String {
    guard let word, !word.isEmpty else { throw BenchmarkFailure("\(option) needs a value") }
    return word
  }
}
