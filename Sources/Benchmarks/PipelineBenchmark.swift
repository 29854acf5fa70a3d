internal import Glibc

/// The rate of `postback run`, from the start of the process to its end.
struct PipelineBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The path of the conversion models.
  let models: String
  /// The folder that holds the tables during a run.
  let folder: String

  /// The options of every run.
  var options: [String] { ["--models", models, "--received-at", "2026-03-10T00:00:00Z"] }

  /// Measures a dump on one core and on all, and the same dump from gzip, if there is one, with both formats.
  func measures(_ dump: Dump, gzip: Dump?) throws -> [Measure] {
    var measures: [Measure] = []
    if Machine.cores > 1 { measures += try self.measures(dump, "plain", format: "jsonl", jobs: 1) }
    for format in ["jsonl", "both"] {
      measures += try self.measures(dump, "plain", format: format, jobs: Machine.cores)
    }
    if let gzip { measures += try self.measures(gzip, "gzip", format: "both", jobs: Machine.cores) }
    return measures
  }

  /// Measures runs over a dump: their rate and its processor time.
  func measures(_ dump: Dump, _ name: String, format: String, jobs: Int) throws -> [Measure] {
    let rate = try measure(dump, name, format: format, jobs: jobs)
    guard let time = rate.processorTime else { return [rate] }
    return [rate, Measure("\(rate.id).cpu", "  processor time a postback", time, .microseconds, to: .oneCore)]
  }

  /// Measures the median of some equal runs over a dump. Throws unless each accepts exactly `distinctCount` postbacks.
  func measure(_ dump: Dump, _ name: String, format: String, jobs: Int, runs: Int = 5) throws -> Measure {
    let out = "\(folder)/out"
    let run = try ProcessRun.median(of: runs) {
      let run = try self.run(dump, out, ["--format", format, "--jobs", "\(jobs)"])
      try TemporaryFolder.remove(out)
      return run
    }
    var measure = Measure(
      "pipeline.\(name).\(format).jobs_\(jobs)",
      "\(name) → \(format), jobs \(jobs), \(dump.count) postbacks",
      Double(dump.count) / run.seconds,
      .perSecond,
      to: jobs == 1 ? .oneCore : .allCores,
      peakMemory: run.peakMemory
    )
    measure.processorTime = run.processorSeconds / Double(dump.count) * 1e6
    return measure
  }

  /// Runs the command over a dump. Throws unless it accepts exactly `distinctCount` postbacks.
  func run(_ dump: Dump, _ out: String, _ others: [String]) throws -> ProcessRun {
    // Writes the pending data of other processes to the disk, so that this run does not wait for it.
    sync()
    let run = try ProcessRun(
      [postback, "run", dump.path, "--out", out, "--json"] + options + others + dump.trustArguments
    )
    guard run.output.hasPrefix("{\"read\":\(dump.count),\"accepted\":\(dump.distinctCount),") else {
      throw BenchmarkFailure("\(dump.distinctCount) of \(dump.count) should have been accepted: \(run.output)")
    }
    return run
  }

  /// Measures the same run over `small` and a larger dump. Rate and memory should stay the same, except for the index.
  func scale(from small: Dump, to large: Dump) throws -> [Measure] {
    var measures: [Measure] = []
    for (name, dump) in [("N", small), ("ten_N", large)] {
      var measure = try measure(dump, "plain", format: "jsonl", jobs: Machine.cores, runs: 1)
      measure.id = "scale.\(name)"
      measures.append(measure)
      guard let peak = measure.peakMemory else { continue }
      let share = Double(40 * dump.distinctCount) / Double(peak) * 100
      measures.append(
        Measure("scale.\(name).index_share", "  of its peak memory the index, at 40 bytes a key", share, .percent)
      )
    }
    let (title, kept) = ("rate of ten times as many, of that of a quarter of N", measures[2].value / measures[0].value)
    return measures + [Measure("scale.rate_kept", title, kept * 100, .percent, note: "one run each")]
  }
}
