internal import Glibc

/// The time until a postback is in `skan_daily`, and the processor time, of `postback watch --refresh 60s`.
struct LiveRefreshBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The folder for the spool.
  let folder: String
  /// The folder of the tables, which have a history already.
  let out: String
  /// The path of the configuration.
  let configuration: String
  /// The options that trust the keys of the generator's seed 1.
  let keys: [String]
  /// The time for which postbacks come, in seconds.
  let seconds: Int

  private static let rate = 100
  /// An app that the history does not have.
  private static let app = "990000001"

  func measures() async throws -> [Measure] {
    let spool = "\(folder)/spool"
    let count = seconds * Self.rate
    try fill(spool, count)
    let command = [postback, "watch", spool, "--config", configuration, "--refresh", "60s", "--quiet"] + keys
    let consumer = Task.detached { try ProcessRun(command) }
    let start = ContinuousClock.now
    func sent(_ number: Int) -> ContinuousClock.Instant { start + .milliseconds(1000 * number / Self.rate) }
    var (moved, counted) = (0, 0)
    var (generation, longest) = (try current(), Duration.zero)
    while moved < count {
      try await Task.sleep(until: sent(moved + 1))
      while moved < count, sent(moved + 1) <= .now {
        guard unsafe rename("\(spool)/tmp/\(moved).jsonl", "\(spool)/new/\(moved).jsonl") == 0 else {
          throw BenchmarkFailure.system("cannot rename")
        }
        moved += 1
      }
      guard moved % Self.rate == 0, try current() != generation else { continue }
      generation = try current()
      let now = ContinuousClock.now
      let number = try counts()
      if number > counted { longest = max(longest, now - sent(counted + 1)) }
      counted = number
    }
    let status = String(decoding: try FileBytes.all(of: "\(out)/_state/status.json"), as: UTF8.self)
    guard let pid = status.split(separator: ",").first?.split(separator: ":").last.flatMap({ pid_t($0) }) else {
      throw BenchmarkFailure("the consumer does not say which process it is")
    }
    kill(pid, SIGTERM)
    let run = try await consumer.value
    guard counted > 0 else { throw BenchmarkFailure("no postback came into skan_daily; give more time") }
    let share = 100 * run.processorSeconds / run.seconds
    var measures = [
      Measure(
        "refresh.live",
        "(e) watch --refresh 60s, 100/s: until a postback counts",
        longest / .milliseconds(1),
        .milliseconds
      ),
      Measure("refresh.live_core", "    the same, share of one core", share, .percent),
    ]
    measures[0].note = "at most 60 000 ms; the longest of \(counted) postbacks"
    measures[1].note = "at most 20 %"
    measures[1].peakMemory = run.peakMemory
    return measures
  }

  /// Makes a spool with postbacks that wait in files of their own.
  private func fill(_ spool: String, _ count: Int) throws {
    let dump = "\(folder)/live.jsonl"
    _ = try ProcessRun([
      postback, "generate", "--count", "\(count)", "--valid-only", "--versions", "4.0=1", "--app", Self.app, "--seed",
      "1",
      "--out", dump, "--keys", "\(folder)/live.keys", "--quiet",
    ])
    _ = try ProcessRun(["mkdir", "-p", "\(spool)/tmp", "\(spool)/new"])
    for (number, line) in try FileBytes.all(of: dump).split(separator: UInt8(ascii: "\n")).enumerated() {
      try FileBytes(writing: "\(spool)/tmp/\(number).jsonl").write(line + [UInt8(ascii: "\n")])
    }
  }

  /// The target of the link to the derived tables that count.
  private func current() throws -> String { try ProcessRun(["readlink", "\(out)/_derived/current"]).output }

  /// The number of the postbacks that are in `skan_daily`.
  private func counts() throws -> Int {
    let script = """
      cat \(out)/skan_daily/*.jsonl | grep '"date_type":"received"' | grep '"app_id":\(Self.app),' |
      sed 's/.*"postbacks":\\([0-9]*\\).*/\\1/' | awk '{ sum += $1 } END { print sum + 0 }'
      """
    return Int(try ProcessRun(["sh", "-c", script]).output.filter(\.isNumber)) ?? 0
  }
}
