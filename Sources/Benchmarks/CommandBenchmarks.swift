internal import SyntheticTraffic

/// The duration of `postback` with very little work, as the median of several runs.
enum StartupBenchmark {
  private static let runs = 20

  static func measures(_ postback: String, _ dump: Dump, models: String) throws -> [Measure] {
    let explain = [postback, "explain", dump.path, "--models", models] + dump.trustArguments
    return [
      Measure("startup.version", "postback --version", try median([postback, "--version"]), .milliseconds),
      Measure("startup.explain", "postback explain, one postback", try median(explain), .milliseconds),
    ].map { measure in
      var measure = measure
      measure.note = "median of \(runs)"
      return measure
    }
  }

  private static func median(_ command: [String]) throws -> Double {
    let times = try (0..<runs).map { _ in try ProcessRun(command).seconds }.sorted()
    return (times[(runs - 1) / 2] + times[runs / 2]) / 2 * 1000
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
    var measures = [
      try measure("rejects.summary", "postback rejects, by stage and code", [postback, "rejects", table], count),
      try measure(
        "rejects.filter",
        "postback rejects, by forwarder, filtered by the raw body",
        [postback, "rejects", table, "--group-by", "forwarder", "--where", "raw_body ~ com.example"],
        count
      ),
      try measure("rejects.wc", "wc -l, the same rows", ["wc", "-l", part], count),
    ]
    measures[0].note = "\(count) rows"
    if ProcessRun.isInstalled("jq") {
      measures.append(
        try measure("rejects.jq", "jq .reject_code, the same rows", ["jq", "-r", ".reject_code", part], count)
      )
    }
    for path in [dump, out] { try TemporaryFolder.remove(path) }
    return measures
  }

  private func measure(_ id: String, _ title: String, _ command: [String], _ count: Int) throws -> Measure {
    let runs = try (0..<3).map { _ in try ProcessRun(command) }
    let best = runs.map(\.seconds).min() ?? 1
    var measure = Measure(id, title, Double(count) / best, .perSecond)
    measure.peakMemory = runs.compactMap(\.peakMemory).max()
    return measure
  }
}
