internal import Base

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
