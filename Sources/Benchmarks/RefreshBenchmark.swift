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

  private var out: String { "\(folder)/out" }
  private var configuration: String { "\(folder)/postback.json" }
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
    var measures = [
      Measure(
        "refresh.new",
        "(a) after 0.3 % new rows, of from nothing",
        100 * little.seconds / full.seconds,
        .percent
      ),
      Measure(
        "refresh.new_processor",
        "    the same, processor time",
        100 * little.processorSeconds / full.processorSeconds,
        .percent
      ),
      Measure("refresh.idle", "(b) with nothing new", idle.seconds * 1000, .milliseconds),
      Measure("refresh.full", "(c) from nothing, of the single commands", 100 * full.seconds / singleSeconds, .percent),
      Measure("refresh.full_time", "    refresh from nothing", full.seconds * 1000, .milliseconds),
      Measure("refresh.new_time", "    refresh after 0.3 % new rows", little.seconds * 1000, .milliseconds),
    ]
    measures[0].note = "at most 3 %; \(newRows) new of \(rows) accepted in \(parts) parts"
    measures[2].note = "at most 500 ms; the median of 3"
    measures[3].note = "at most 60 %"
    for (place, run) in [(2, idle), (4, full), (5, little)] { measures[place].peakMemory = run.peakMemory }
    for (place, run) in [(4, full), (5, little)] { measures[place].note = Self.steps(of: run) }
    for (step, run) in zip(steps, single) {
      var measure = Measure("refresh.single.\(step)", "    \(step) from nothing", run.seconds * 1000, .milliseconds)
      measure.peakMemory = run.peakMemory
      measures.append(measure)
    }
    if let peak = [full, little, idle].compactMap(\.peakMemory).max() {
      var memory = Measure("refresh.memory", "(d) peak memory of refresh", Double(peak) / 1e6, .megabytes)
      memory.note = "at most 250 MB"
      measures.append(memory)
    }
    let live = LiveRefreshBenchmark(
      postback: postback,
      folder: folder,
      out: out,
      configuration: configuration,
      keys: keys,
      seconds: liveSeconds
    )
    return measures + (try await live.measures())
  }

  // MARK: - History

  /// Indicates that the folder has a history.
  var isMade: Bool { unsafe access(configuration, R_OK) == 0 }

  /// Makes the tables of a history, and beside it the dump of what comes later. Returns the options that trust the keys.
  func makeHistory() throws -> [String] {
    let (dump, reporting) = ("\(folder)/dump.jsonl", "\(folder)/campaigns")
    _ = try ProcessRun([
      postback, "generate", "--count", "\(lines)", "--campaigns", "200", "--days", "\(Self.days)", "--cost",
      "--seed", "1", "--reporting", reporting, "--out", dump, "--keys", "\(folder)/keys", "--quiet",
    ])
    let keys = String(decoding: try FileBytes.all(of: "\(folder)/keys"), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace).map(String.init)
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
    try FileBytes(writing: configuration).write(Array(text.utf8))
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
