/// The rate of `postback run` over exact resends of postbacks that were accepted long before, by another process, or earlier in
/// the same dump.
struct ResendBenchmark {
  /// The command, the models and the folder for dumps and tables.
  let pipeline: PipelineBenchmark
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
    let folder = pipeline.folder
    let dump = try Dump.generate(postbacks, in: folder, by: pipeline.postback)
    let source = try FileLines(postbacks, of: dump.path)
    let (state, out) = ("\(folder)/resends", "\(folder)/resends-out")
    let first = try dump.first(distance, to: "\(folder)/first.jsonl")
    _ = try run(first, state)
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
      var mixed = dump
      (mixed.path, mixed.count, mixed.distinctCount) = ("\(folder)/\(mix.id).jsonl", count, count - old)
      try source.write(lines, to: mixed.path)
      let median = try ProcessRun.median(of: runs) {
        try TemporaryFolder.copy(output: state, to: out)
        let run = try self.run(mixed, out)
        try TemporaryFolder.remove(out)
        return run
      }
      try TemporaryFolder.remove(mixed.path)
      let title = "\(mix.resent) of \(mix.of) resent, over \(distance) others, \(count) postbacks"
      let (rate, peak) = (Double(count) / median.seconds, median.peakMemory)
      measures.append(Measure("resends.\(mix.id)", title, rate, .perSecond, to: .allCores, peakMemory: peak))
    }
    measures.append(try repeated(dump, source))
    for path in [dump.path, first.path, state] { try TemporaryFolder.remove(path) }
    return measures
  }

  /// Measures a run of its own over a dump in which each postback comes several times.
  private func repeated(_ dump: Dump, _ source: FileLines) throws -> Measure {
    let (distance, times) = timesEach
    var repeated = dump
    repeated.path = "\(pipeline.folder)/repeated.jsonl"
    (repeated.count, repeated.distinctCount) = (distance * times, distance)
    try source.write((0..<repeated.count).lazy.map { $0 % distance }, to: repeated.path)
    var measure = try pipeline.measure(repeated, "repeated", format: "both", jobs: Machine.cores, runs: runs)
    (measure.id, measure.title) = ("resends.repeated", "each \(times) times, \(distance) others between, both formats")
    try TemporaryFolder.remove(repeated.path)
    return measure
  }

  private func run(_ dump: Dump, _ out: String) throws -> ProcessRun {
    try pipeline.run(dump, out, ["--jobs", "\(Machine.cores)"])
  }
}
