internal import Glibc

/// The time until a postback is in `skan_daily`, and the processor time, of `postback watch --refresh 60s`.
struct LiveRefreshBenchmark {
  /// The tables with a history, their configuration, and the folder for the spool.
  let history: RefreshBenchmark
  /// The options that trust the keys of the generator's seed 1.
  let keys: [String]

  private static let rate = 100
  /// An app that the history does not have.
  private static let app = "990000001"

  func measures() async throws -> [Measure] {
    let spool = "\(history.folder)/spool"
    let count = history.liveSeconds * Self.rate
    try fill(spool, count)
    let options = ["--config", history.configuration, "--refresh", "60s", "--quiet"]
    let command = [history.postback, "watch", spool] + options + keys
    let consumer = ServerProcess(command, named: "watch", in: history.folder)
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
    let run = try await consumer.stop()
    guard counted > 0 else { throw BenchmarkFailure("no postback came into skan_daily; give more time") }
    let (title, time) = ("(e) watch --refresh 60s, 100/s: until a postback counts", longest / .milliseconds(1))
    let note = "at most 60 000 ms; the longest of \(counted) postbacks"
    let (other, share) = ("    the same, share of one core", 100 * run.processorSeconds / run.seconds)
    return [
      Measure("refresh.live", title, time, .milliseconds, note: note),
      Measure("refresh.live_core", other, share, .percent, peakMemory: run.peakMemory, note: "at most 20 %"),
    ]
  }

  /// Makes a spool with postbacks that wait in files of their own.
  private func fill(_ spool: String, _ count: Int) throws {
    let dump = "\(history.folder)/live.jsonl"
    try Dump.write(count, ["--valid-only", "--versions", "4.0=1", "--app", Self.app], to: dump, by: history.postback)
    _ = try ProcessRun(["mkdir", "-p", "\(spool)/tmp", "\(spool)/new"])
    let lines = try FileLines(count, of: dump)
    for number in 0..<count { try lines.write(number...number, to: "\(spool)/tmp/\(number).jsonl") }
  }

  /// The target of the link to the derived tables that count.
  private func current() throws -> String { try ProcessRun(["readlink", "\(history.out)/_derived/current"]).output }

  /// The number of the postbacks that are in `skan_daily`.
  private func counts() throws -> Int {
    let script = """
      cat \(history.out)/skan_daily/*.jsonl | grep '"date_type":"received"' | grep '"app_id":\(Self.app),' |
      sed 's/.*"postbacks":\\([0-9]*\\).*/\\1/' | awk '{ sum += $1 } END { print sum + 0 }'
      """
    return Int(try ProcessRun(["sh", "-c", script]).output.filter(\.isNumber)) ?? 0
  }
}
