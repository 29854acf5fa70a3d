internal import Base
internal import Glibc

/// The rate of `postback run` over exact resends of postbacks that were accepted long before, by another process.
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

  private static let mixes = [(id: "nine_in_ten", resent: 9, of: 10), (id: "half", resent: 1, of: 2)]

  /// Makes a state with `distance` postbacks, and measures runs that resend them, in their order, between new ones.
  func measures() async throws -> [Measure] {
    let news = Self.mixes.reduce(0) { $0 + count - count * $1.resent / $1.of }
    let dump = try await Dump.generate(distance + news, in: folder)
    let starts = try dump.lineStarts(distance + news)
    let source = try FileBytes(reading: dump.path)
    let out = "\(folder)/resends"
    var next = distance

    let first = "\(folder)/first.jsonl"
    try write(first, Array(0..<distance), of: source, starts)
    _ = try run(first, out, dump, accepting: distance, of: distance)
    var measures: [Measure] = []
    for mix in Self.mixes {
      let resent = count * mix.resent / mix.of
      var (old, lines) = (0, [Int]())
      for line in 0..<count {
        if line % mix.of < mix.resent, old < resent {
          lines.append(old)
          old += 1
        } else {
          lines.append(next)
          next += 1
        }
      }
      let path = "\(folder)/\(mix.id).jsonl"
      try write(path, lines, of: source, starts)
      let run = try run(path, out, dump, accepting: count - old, of: count)
      try TemporaryFolder.remove(path)
      var measure = Measure(
        "resends.\(mix.id)",
        "\(mix.resent) of \(mix.of) resent, over \(distance) others, \(count) postbacks",
        Double(count) / run.seconds,
        .perSecond,
        to: .allCores
      )
      measure.peakMemory = run.peakMemory
      measures.append(measure)
    }
    for path in [dump.path, first, out] { try TemporaryFolder.remove(path) }
    return measures
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
