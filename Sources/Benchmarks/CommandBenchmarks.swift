internal import SyntheticTraffic

/// The duration of `postback` with very little work, as the median of several runs.
enum StartupBenchmark {
  private static let runs = 20

  static func measures(_ postback: String, _ dump: Dump, models: String) throws -> [Measure] {
    let explain = [postback, "explain", dump.path, "--models", models] + dump.trustArguments
    return [
      try median("startup.version", "postback --version", [postback, "--version"]),
      try median("startup.explain", "postback explain, one postback", explain),
    ]
  }

  private static func median(_ id: String, _ title: String, _ command: [String]) throws -> Measure {
    let times = try (0..<runs).map { _ in try ProcessRun(command).seconds }.sorted()
    let median = (times[(runs - 1) / 2] + times[runs / 2]) / 2
    return Measure(id, title, median * 1000, .milliseconds, note: "median of \(runs)")
  }
}

/// The rate at which `postback rejects` counts rows, compared with `wc`, which only looks for line ends, and with `jq`,
/// which also parses JSON.
struct RejectsBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The folder for the dump and the tables.
  let folder: String

  func measures(_ count: Int) throws -> [Measure] {
    let dump = "\(folder)/rejects.jsonl"
    let out = "\(folder)/rejects"
    try Dump.write(count, ["--envelopes"] + Dump.allOf(.forged), to: dump, by: postback)
    _ = try ProcessRun([postback, "run", dump, "--out", out, "--part-bytes", "\(1 << 40)"])
    let table = "\(out)/skan_rejects"
    let part = "\(table)/part-00000001.jsonl"
    // The first read fills the page cache.
    _ = try ProcessRun(["wc", "-l", part])
    let filter = ["--group-by", "forwarder", "--where", "raw_body ~ com.example"]
    var commands = [
      ("summary", "postback rejects, by stage and code", [postback, "rejects", table]),
      ("filter", "postback rejects, by forwarder, filtered by the raw body", [postback, "rejects", table] + filter),
      ("wc", "wc -l, the same rows", ["wc", "-l", part]),
    ]
    if ProcessRun.isInstalled("jq") {
      commands.append(("jq", "jq .reject_code, the same rows", ["jq", "-r", ".reject_code", part]))
    }
    var measures = try commands.map { id, title, command in
      try Measure.rate("rejects.\(id)", title, count) { try ProcessRun(command) }
    }
    measures[0].note = "\(count) rows"
    for path in [dump, out] { try TemporaryFolder.remove(path) }
    return measures
  }
}
