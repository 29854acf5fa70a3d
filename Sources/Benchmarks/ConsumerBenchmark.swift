internal import Base
internal import DurableFiles
internal import Glibc
internal import JSON
internal import PostbackPipeline
internal import Tables

/// The cost of exactly-once processing: commits, recovery, and a spool in place of a dump.
struct ConsumerBenchmark {
  /// The command, the models and the folder for spools and tables.
  let pipeline: PipelineBenchmark
  /// The dump whose postbacks are used.
  let dump: Dump

  private static let largeFile = 1000
  private static let arrivals = 200

  func measures(smallFiles: Int, keys: Int) async throws -> [Measure] {
    var measures = try commits()
    measures += try backlog()
    measures.append(try files(smallFiles))
    measures += try await latency()
    measures.append(try recovery(keys: keys))
    return measures
  }

  private var folder: String { pipeline.folder }
  private var options: [String] { ["--out", "\(folder)/out"] + pipeline.options + dump.trustArguments }

  private func run(_ command: [String]) throws -> Double {
    sync()
    let run = try ProcessRun([pipeline.postback] + command + options)
    try TemporaryFolder.remove("\(folder)/out")
    return run.seconds
  }

  /// Measures a run that commits every second against one that commits only at its end.
  private func commits() throws -> [Measure] {
    let (each, once) = (try run(["run", dump.path]), try run(["run", dump.path, "--commit-ms", "3600000"]))
    let title = "rate of run with a commit a second, of that with one at the end"
    return [Measure("consumer.commits", title, once / each * 100, .percent)]
  }

  /// Measures `watch` over a spool of files of a thousand postbacks against a run over the same files.
  private func backlog() throws -> [Measure] {
    let spool = "\(folder)/spool"
    try fill(spool, files: dump.count / Self.largeFile, of: Self.largeFile)
    let run = try run(["run", "\(spool)/new"])
    let watch = try self.run(["watch", spool, "--once"])
    try TemporaryFolder.remove(spool)
    let title = "rate of watch over \(dump.count / Self.largeFile) files of \(Self.largeFile), of that of run"
    return [Measure("consumer.backlog", title, run / watch * 100, .percent)]
  }

  /// Measures `watch` over a spool of files of one postback each.
  private func files(_ count: Int) throws -> Measure {
    let spool = "\(folder)/spool"
    try fill(spool, files: count, of: 1)
    let seconds = try run(["watch", spool, "--once"])
    try TemporaryFolder.remove(spool)
    return Measure("consumer.files", "watch, \(count) files of one postback", Double(count) / seconds, .perSecond)
  }

  /// Measures the time from the arrival of a file in an idle spool until it is committed and put away: median and 99th
  /// percentile.
  private func latency() async throws -> [Measure] {
    let spool = "\(folder)/spool"
    try fill(spool, files: Self.arrivals, of: 1)
    // They come one by one.
    guard unsafe rename("\(spool)/new", "\(spool)/later") == 0 else { throw BenchmarkFailure.system("cannot rename") }
    // Each is alone, although they follow each other sooner than commits usually do.
    let command = [pipeline.postback, "watch", spool, "--commit-ms", "1"] + options
    let consumer = ServerProcess(command, named: "watch", in: folder)
    try await wait(for: "\(folder)/out/_state/status.json")
    var times: [Double] = []
    for file in 0..<Self.arrivals {
      let name = Self.name(file)
      let start = ContinuousClock.now
      guard unsafe rename("\(spool)/later/\(name)", "\(spool)/new/\(name)") == 0 else {
        throw BenchmarkFailure.system("cannot rename")
      }
      try await wait(for: "\(spool)/new/\(name)", isThere: false)
      times.append((.now - start) / .milliseconds(1))
    }
    _ = try await consumer.stop()
    for path in [spool, "\(folder)/out"] { try TemporaryFolder.remove(path) }
    times.sort()
    return [(50, times[times.count / 2]), (99, times[times.count * 99 / 100])].map { share, time in
      Measure("consumer.latency_p\(share)", "watch, idle: a file until it is put away, p\(share)", time, .milliseconds)
    }
  }

  /// Measures the opening of a state that holds `keys` ids.
  private func recovery(keys: Int) throws -> Measure {
    let path = "\(folder)/state"
    try LargeStateBenchmark(keys: keys, folder: path).make()
    let start = ContinuousClock.now
    _ = try PipelineState(path, settings: [:])
    let seconds = (.now - start) / Duration.seconds(1)
    try TemporaryFolder.remove(path)
    return Measure("consumer.recovery", "opening a state with \(keys) ids", seconds * 1000, .milliseconds)
  }

  /// Makes a spool with `files` files of `lines` lines of the dump each.
  private func fill(_ spool: String, files: Int, of lines: Int) throws {
    _ = try ProcessRun(["mkdir", "-p", "\(spool)/new"])
    let source = try FileLines(files * lines, of: dump.path)
    for file in 0..<files {
      try source.write(file * lines..<(file + 1) * lines, to: "\(spool)/new/\(Self.name(file))")
    }
  }

  private static func name(_ file: Int) -> String { "\(1_000_000_000 + file).jsonl" }

  /// Prints each row of `skan_postbacks` in an output as it comes through the table feed, after the time and a tab. Ends
  /// only with a failure.
  static func follow(_ output: String) async throws {
    for try await element in TableFeed(.postbacks, in: output, state: "\(output)/_state", follow: true) {
      let time = Array("\(Timestamp.now.milliseconds)\t".utf8)
      var lines: [UInt8] = []
      for row in element.rows.rows {
        lines += time
        lines += element.rows.bytes[row.bytes.indices]
        lines.append(UInt8(ascii: "\n"))
      }
      guard lines.writeAll(to: STDOUT_FILENO) else {
        throw BenchmarkFailure.system("standard output cannot be written")
      }
    }
  }

  private func wait(for path: String, isThere: Bool = true) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while unsafe (access(path, F_OK) == 0) != isThere {
      guard .now < end else { throw BenchmarkFailure("\(path) did not come within a minute") }
      try await Task.sleep(for: .microseconds(500))
    }
  }
}
