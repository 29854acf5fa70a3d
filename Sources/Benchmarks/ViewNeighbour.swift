internal import Dispatch
internal import DurableFiles
internal import Glibc
internal import Synchronization

/// The time until `postback serve --watch` acknowledges a postback, alone and with a live page beside it that many people follow.
struct ViewNeighbour {
  /// The history, with the command and the folder for files.
  let history: RefreshBenchmark
  /// The path of a configuration with the output, the spool and the users of the page.
  let configuration: String
  /// The client of the page, with a session.
  let page: ViewClient
  /// The number of pages that follow.
  let viewers: Int

  private static let port: UInt16 = 18_474
  private static let (count, rate) = (600, 40)

  /// Measures both, one after the other.
  func measures() async throws -> [Measure] {
    let dump = "\(history.folder)/posted.jsonl"
    // A history that stays has those of its last measures.
    for file in [dump, "\(dump).keys"] { try TemporaryFolder.remove(file) }
    try Dump.write(2 * Self.count, ["--valid-only", "--versions", "4.0=1"], to: dump, by: history.postback, seed: 7)
    let lines = try WholeFile.text(of: dump).split(separator: "\n").map(String.init)
    _ = try ProcessRun(["mkdir", "-p", "\(history.folder)/spool"])
    let options = ["--config", configuration, "--listen", "127.0.0.1:\(Self.port)", "--quiet"]
    let server = ServerProcess([history.postback, "serve", "--watch"] + options, named: "serve", in: history.folder)
    let receiver = ViewClient(port: Self.port)
    for _ in 0..<600 where (try? receiver.attempt("/healthz"))?.status != 200 {
      try await Task.sleep(for: .milliseconds(50))
    }
    let alone = try await times(Array(lines.prefix(Self.count)), receiver)
    let followers = Followers(page, viewers)
    let beside = try await times(Array(lines.suffix(Self.count)), receiver)
    let overviews = followers.stop()
    _ = try await server.stop()
    guard overviews > 0 else { throw BenchmarkFailure("no page has heard of a commit") }
    func measure(_ id: String, _ title: String, _ times: [Duration], _ share: Double) -> Measure {
      Measure(id, title, times[Int(Double(times.count - 1) * share)] / .milliseconds(1), .milliseconds)
    }
    var measures = [
      measure("view.ack_alone", "serve without a page beside it: acknowledged, median", alone, 0.5),
      measure("view.ack_alone_99", "    the same, 99th percentile", alone, 0.99),
      measure("view.ack", "serve with \(viewers) pages that follow: acknowledged, median", beside, 0.5),
      measure("view.ack_99", "    the same, 99th percentile", beside, 0.99),
    ]
    measures[2].note = "\(Self.rate) postbacks a second; the pages asked for \(overviews) overviews"
    return measures
  }

  /// Posts postbacks at the rate, and returns the times until each was acknowledged, in order.
  private func times(_ bodies: [String], _ receiver: ViewClient) async throws -> [Duration] {
    let start = ContinuousClock.now
    var times: [Duration] = []
    for (index, body) in bodies.enumerated() {
      try await Task.sleep(until: start + .milliseconds(1000 * index / Self.rate))
      times.append(try receiver.post(body).time)
    }
    return times.sorted()
  }
}

/// Pages that follow the commits: each waits for news, and asks for the overview then, at most every two seconds.
private final class Followers: Sendable {
  private let overviews = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)
  private let group = DispatchGroup()

  init(_ page: ViewClient, _ count: Int) {
    for _ in 0..<count {
      // Each blocks in its socket, so that it has a thread.
      let queue = DispatchQueue(label: "follower")
      queue.async(group: group) { [self] in
        var asked = ContinuousClock.now - .seconds(2)
        var last = ""
        while !isOver.load(ordering: .relaxed) {
          guard let news = try? page.attempt("/api/events", lastEvent: last) else { return }
          last = news.lastEvent ?? last
          if news.text.contains("event: commit"), .now - asked > .seconds(2), (try? page.get("/api/overview")) != nil {
            asked = .now
            overviews.add(1, ordering: .relaxed)
          }
          usleep(500_000)
        }
      }
    }
  }

  /// Ends, and returns the number of overviews that were asked for.
  func stop() -> Int {
    isOver.store(true, ordering: .relaxed)
    group.wait()
    return overviews.load(ordering: .relaxed)
  }
}
