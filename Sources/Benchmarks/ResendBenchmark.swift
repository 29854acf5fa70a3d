internal import Glibc

/// The rate of `postback run` over exact resends of postbacks that were accepted long before, by another process, or earlier in
/// the same dump.
struct ResendBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The path of the conversion models.
  let models: String
  /// The folder for dumps and tables.
  let folder: String
  /// The number of postbacks between each postback and its resend, at least.
  let distance: Int
  /// The number of postbacks in each measured run.
  let count: Int
  /// The number of postbacks in a dump that has each of them several times, in the same order each time.
  let timesEach: (distance: Int, times: Int)
  /// The number of runs of each measure, of which it takes the median.
  let runs: Int

  private static let mixes = [(id: "nine_in_ten", resent: 9, of: 10), (id: "half", resent: 1, of: 2)]

  /// The number of postbacks in the dump that all lines are taken from.
  var postbacks: Int { distance + (Self.mixes.map { count - count * $0.resent / $0.of }.max() ?? 0) }

  /// Makes a state with `distance` postbacks, and measures runs that continue copies of it: each resends them, in their
  /// order, between new ones.
  func measures() throws -> [Measure] {
    let dump = try Dump.generate(postbacks, in: folder, by: postback)
    let starts = try dump.lineStarts(postbacks)
    let source = try FileBytes(reading: dump.path)
    let (first, state, out) = ("\(folder)/first.jsonl", "\(folder)/resends", "\(folder)/resends-out")
    try write(first, Array(0..<distance), of: source, starts)
    _ = try run(first, state, dump, accepting: distance, of: distance)
    var measures: [Measure] = []
    for mix in Self.mixes {
      let resent = count * mix.resent / mix.of
      var (old, next) = (0, distance)
      let lines = (0..<count).map { line in
        if line % mix.of < mix.resent, old < resent {
          old += 1
          return old - 1
        }
        next += 1
        return next - 1
      }
      let path = "\(folder)/\(mix.id).jsonl"
      try write(path, lines, of: source, starts)
      let median = try ProcessRun.median(of: runs) {
        try TemporaryFolder.copy(output: state, to: out)
        let run = try self.run(path, out, dump, accepting: count - old, of: count)
        try TemporaryFolder.remove(out)
        return run
      }
      try TemporaryFolder.remove(path)
      var measure = Measure(
        "resends.\(mix.id)",
        "\(mix.resent) of \(mix.of) resent, over \(distance) others, \(count) postbacks",
        Double(count) / median.seconds,
        .perSecond,
        to: .allCores
      )
      measure.peakMemory = median.peakMemory
      measures.append(measure)
    }
    measures.append(try repeated(dump, source, starts))
    for path in [dump.path, first, state] { try TemporaryFolder.remove(path) }
    return measures
  }

  /// Measures a run of its own over a dump in which each postback comes several times.
  private func repeated(_ dump: Dump, _ source: borrowing FileBytes, _ starts: [Int]) throws -> Measure {
    let (distance, times) = timesEach
    var repeated = dump
    (repeated.path, repeated.count, repeated.distinctCount) = ("\(folder)/repeated.jsonl", distance * times, distance)
    try write(repeated.path, (0..<repeated.count).map { $0 % distance }, of: source, starts)
    let pipeline = PipelineBenchmark(postback: postback, models: models, folder: folder)
    var measure = try pipeline.measure(repeated, "repeated", format: "both", jobs: Machine.cores, runs: runs)
    (measure.id, measure.title) = ("resends.repeated", "each \(times) times, \(distance) others between, both formats")
    try TemporaryFolder.remove(repeated.path)
    return measure
  }

  private func run(_ path: String, _ out: String, _ dump: Dump, accepting: Int, of read: Int) throws -> ProcessRun {
    sync()
    let run = try ProcessRun(
      [postback, "run", path, "--out", out, "--jobs", "\(Machine.cores)", "--json", "--models", models]
        + ["--received-at", "2026-03-10T00:00:00Z"] + dump.trustArguments
    )
    guard run.output.hasPrefix("{\"read\":\(read),\"accepted\":\(accepting),") else {
      throw BenchmarkFailure("\(accepting) of \(read) should have been accepted: \(run.output)")
    }
    return run
  }

  /// Writes lines of a dump to a file.
  private func write(_ path: String, _ lines: [Int], of source: borrowing FileBytes, _ starts: [Int]) throws {
    let target = try FileBytes(writing: path)
    var bytes: [UInt8] = []
    for line in lines {
      _ = try source.append(starts[line + 1] - starts[line], at: starts[line], to: &bytes)
      guard bytes.count >= 1 << 18 else { continue }
      try target.write(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try target.write(bytes)
  }
}
