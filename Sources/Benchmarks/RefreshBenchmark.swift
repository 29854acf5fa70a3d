internal import DurableFiles
internal import Glibc
internal import JSON

/// The cost of `postback refresh` after little that is new, compared in the same run with a refresh from nothing and with the
/// single commands, each of which starts from nothing.
struct RefreshBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The folder for the dump, the tables and the page.
  let folder: String
  /// The number of lines of the dump, of which about seven in ten are accepted.
  let lines: Int
  /// The time for which postbacks come live, in seconds.
  let liveSeconds: Int

  private static let days = 60
  private static let newShare = 0.003
  /// The late copies for each new line. They are of postbacks of the last three days before.
  private static let copyShare = 0.1
  private static let leastParts = 300
  /// The bytes of the rows of `skan_postbacks` for each line of the dump, about.
  private static let bytesForLine = 880

  var out: String { "\(folder)/out" }
  var configuration: String { "\(folder)/postback.json" }
  private var accepted: String { "\(out)/skan_postbacks" }
  private var steps: [String] { ["settle", "enrich", "daily", "report"] }

  func measures() async throws -> [Measure] {
    let keys = try makeHistory()
    let parts = try shell("ls \(accepted) | wc -l")
    guard let parts, parts >= Self.leastParts else { throw BenchmarkFailure("the history has too few parts") }
    let rows = try shell("cat \(accepted)/* | wc -l") ?? 0

    var single: [ProcessRun] = []
    for step in steps {
      // What an earlier command has calculated for parts is removed, so that each command costs what it did without it.
      for folder in ["parts", "page"] { try TemporaryFolder.remove("\(out)/_derived/\(folder)") }
      single.append(try ProcessRun([postback, step, out, "--config", configuration, "--quiet"]))
    }
    _ = try shell("cd \(out) && find . -maxdepth 1 -type l -delete && rm -rf _derived; echo 0")
    let full = try refresh()
    let idle = try (0..<3).map { _ in try refresh() }.sorted { $0.seconds < $1.seconds }[1]
    try run("\(folder)/new.jsonl", keys)
    let newRows = (try shell("cat \(accepted)/* | wc -l") ?? 0) - rows
    let little = try refresh()

    let singleSeconds = single.reduce(0) { $0 + $1.seconds }
    func share(_ id: String, _ title: String, _ part: Double, of whole: Double, note: String? = nil) -> Measure {
      Measure("refresh.\(id)", title, 100 * part / whole, .percent, note: note)
    }
    func time(_ id: String, _ title: String, _ run: ProcessRun, note: String? = nil) -> Measure {
      Measure("refresh.\(id)", title, run.seconds * 1000, .milliseconds, peakMemory: run.peakMemory, note: note)
    }
    let new = "at most 3 %; \(newRows) new of \(rows) accepted in \(parts) parts"
    var measures = [
      share("new", "(a) after 0.3 % new rows, of from nothing", little.seconds, of: full.seconds, note: new),
      share("new_processor", "    the same, processor time", little.processorSeconds, of: full.processorSeconds),
      time("idle", "(b) with nothing new", idle, note: "at most 500 ms; the median of 3"),
      share("full", "(c) from nothing, of the single commands", full.seconds, of: singleSeconds, note: "at most 60 %"),
      time("full_time", "    refresh from nothing", full, note: Self.steps(of: full)),
      time("new_time", "    refresh after 0.3 % new rows", little, note: Self.steps(of: little)),
    ]
    measures += zip(steps, single).map { time("single.\($0)", "    \($0) from nothing", $1) }
    if let peak = [full, little, idle].compactMap(\.peakMemory).max() {
      let (title, bar) = ("(d) peak memory of refresh", "at most 250 MB")
      measures.append(Measure("refresh.memory", title, Double(peak) / 1e6, .megabytes, note: bar))
    }
    return measures + (try await LiveRefreshBenchmark(history: self, keys: keys).measures())
  }

  // MARK: - History

  /// Indicates that the folder has a history.
  var isMade: Bool { unsafe access(configuration, R_OK) == 0 }

  /// Makes the tables of a history, and beside it the dump of what comes later. Returns the options that trust the keys.
  func makeHistory() throws -> [String] {
    let reporting = "\(folder)/campaigns"
    let campaigns = ["--campaigns", "200", "--days", "\(Self.days)", "--cost", "--reporting", reporting]
    let keys = try Dump.write(lines, campaigns, to: "\(folder)/dump.jsonl", by: postback)
    let new = max(Int(Double(lines) * Self.newShare), 10)
    let old = lines - new
    let recent = old * 3 / Self.days
    let step = max(recent / max(Int(Double(new) * Self.copyShare), 1), 1)
    _ = try shell(
      """
      cd \(folder) && head -n \(old) dump.jsonl > old.jsonl && tail -n \(new) dump.jsonl > new.jsonl &&
      tail -n \(recent) old.jsonl | awk 'NR % \(step) == 0' >> new.jsonl && rm dump.jsonl && echo 0
      """
    )
    let text = """
      {"out": "\(out)", "models": ["\(reporting)/models"], "lookups": "\(reporting)/lookups",
       "costs": "\(reporting)/cost.csv", "rates": "\(reporting)/rates.csv", "currency": "USD",
       "environment": ["production", "custom"], "report": "\(folder)/report.html"}
      """
    try run("\(folder)/old.jsonl", keys)
    try WholeFile.write(Array(text.utf8), to: configuration)
    return keys
  }

  /// Takes a dump into the tables, whose parts are small.
  private func run(_ dump: String, _ keys: [String]) throws {
    let bytes = lines * Self.bytesForLine / (Self.leastParts * 6 / 5)
    let models = "\(folder)/campaigns/models"
    _ = try ProcessRun(
      [postback, "run", dump, "--out", out, "--models", models, "--part-bytes", "\(bytes)", "--quiet"] + keys
    )
  }

  /// Brings the derived tables up to date.
  func refresh() throws -> ProcessRun {
    try ProcessRun([postback, "refresh", "--config", configuration, "--json"])
  }

  /// The durations of the steps that a refresh reports, as a remark.
  private static func steps(of run: ProcessRun) -> String {
    guard let json = try? JSONValue(parsing: Array(run.output.utf8)), case .array(let steps) = json["steps"] else {
      return ""
    }
    return steps.map { step in
      guard case .string(let name) = step["step"], case .number(let seconds) = step["seconds"] else { return "" }
      return "\(name) \(seconds) s"
    }.joined(separator: ", ")
  }

  private func shell(_ script: String) throws -> Int? {
    let words = try ProcessRun(["sh", "-c", script]).output.split(whereSeparator: \.isWhitespace)
    return words.first.flatMap { Int($0) }
  }
}
