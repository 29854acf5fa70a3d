internal import Base
internal import Glibc
internal import JSON

/// The times of the answers of `postback view` on a history, and the memory of its process.
struct ViewBenchmark {
  /// The history, which is made and refreshed first.
  let history: RefreshBenchmark
  /// The path of the command `postback`.
  let postback: String
  /// The folder for files.
  let folder: String

  private static let port: UInt16 = 18_473
  private static let token = "the-token-of-the-benchmark"
  private static let viewers = 50

  private var out: String { "\(folder)/out" }

  func measures() async throws -> [Measure] {
    _ = try history.makeHistory()
    _ = try history.refresh()
    let configuration = "\(folder)/view.json"
    try FileBytes(writing: "\(folder)/token").write(Array(Self.token.utf8))
    let text = """
      {"out": "\(out)", "view": {"listen": "127.0.0.1:\(Self.port)", "tls": false,
       "users": [{"name": "benchmark", "token_file": "\(folder)/token"}]}}
      """
    try FileBytes(writing: configuration).write(Array(text.utf8))
    let script = "echo $$ > \(folder)/pid; exec \(postback) view --config \(configuration) --quiet"
    let start = ContinuousClock.now
    let server = Task.detached { try ProcessRun(["sh", "-c", script]) }
    let cookie = try await enter()
    var measures = [
      Measure("view.start", "from the start to the first answer", (.now - start) / .milliseconds(1), .milliseconds)
    ]
    let pages = [
      ("overview", "overview", "/api/overview", 200), ("campaigns", "campaigns", "/api/campaigns", 300),
      ("compared", "campaigns by day, compared", Self.compared, 300),
      ("rejects", "rejects, the newest", "/api/rejects", 1000),
      ("filter", "rejects of a rare code", "/api/rejects?code=not_json", 1000),
      ("text", "rejects with a text that none has", "/api/rejects?contains=zzzzzzzz", 1000),
      ("postbacks", "postbacks of a campaign", "/api/postbacks?where=campaign_id:1000001", 1000),
    ]
    for (id, title, path, bar) in pages {
      let times = try (0..<5).map { _ in try get(path, cookie).time }.sorted()
      var measure = Measure("view.\(id)", title, times[2] / .milliseconds(1), .milliseconds)
      measure.note = "at most \(bar) ms; the median of 5"
      measures.append(measure)
    }
    try await waitForSections(cookie)
    measures.append(
      Measure(
        "view.sections",
        "until the sections of the report are made",
        (.now - start) / .milliseconds(1),
        .milliseconds
      )
    )
    measures.append(try await crowd(cookie))
    let pid = String(decoding: try FileBytes.all(of: "\(folder)/pid"), as: UTF8.self)
    guard let process = pid_t(pid.filter { !$0.isWhitespace }) else { throw BenchmarkFailure("the server has no id") }
    kill(process, SIGTERM)
    let run = try await server.value
    var memory = Measure("view.memory", "peak memory", Double(run.peakMemory) / 1e6, .megabytes)
    memory.note = "at most 300 MB"
    return measures + [memory]
  }

  private static let compared =
    "/api/campaigns?by=date,campaign_id&since=2026-03-01&until=2026-04-01&compare_since=2026-02-01&compare_until=2026-03-01"

  /// Asks for the overview from many connections at once, and returns the slowest answer.
  private func crowd(_ cookie: String) async throws -> Measure {
    let slowest = try await withThrowingTaskGroup(of: Duration.self) { group in
      for _ in 0..<Self.viewers { group.addTask { try get("/api/overview", cookie).time } }
      return try await group.reduce(Duration.zero) { max($0, $1) }
    }
    return Measure(
      "view.crowd",
      "the slowest of \(Self.viewers) overviews at once",
      slowest / .milliseconds(1),
      .milliseconds
    )
  }

  /// Waits until the server listens, and opens a session.
  private func enter() async throws -> String {
    for _ in 0..<600 {
      if let answer = try? get("/?token=\(Self.token)", "").text,
        let line = answer.split(separator: "\r\n").first(where: { $0.hasPrefix("Set-Cookie: ") })
      {
        return String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw BenchmarkFailure("postback view does not answer; run it by hand to see why")
  }

  private func waitForSections(_ cookie: String) async throws {
    for _ in 0..<3600 {
      if try get("/api/report", cookie).text.hasPrefix("HTTP/1.1 200") { return }
      try await Task.sleep(for: .milliseconds(200))
    }
    throw BenchmarkFailure("the sections are not made within 12 minutes")
  }

  /// Sends a request, and returns the whole answer with the time that it took.
  private func get(_ path: String, _ cookie: String) throws -> (text: String, time: Duration) {
    let start = ContinuousClock.now
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = Self.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw BenchmarkFailure.system("the server cannot be reached") }
    let request = """
      GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(Self.port)\r\nCookie: \(cookie)\r\nConnection: close\r\n\r\n
      """
    let bytes = Array(request.utf8)
    guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw BenchmarkFailure.system("the request cannot be sent")
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    return (String(decoding: answer, as: UTF8.self), ContinuousClock.now - start)
  }
}
