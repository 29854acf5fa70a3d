internal import DurableFiles
internal import Glibc
internal import JSON

/// The times of the answers of `postback view` on a history, and the memory of its process.
struct ViewBenchmark {
  /// The history, which is made and refreshed first.
  let history: RefreshBenchmark

  private static let port: UInt16 = 18_473
  private static let token = "the-token-of-the-benchmark"
  private static let viewers = 50

  private var folder: String { history.folder }

  /// Takes the measures. Returns them with the reasons for those that are left out.
  func measures() async throws -> (measures: [Measure], skipped: [String]) {
    if !history.isMade { _ = try history.makeHistory() }
    _ = try history.refresh()
    let configuration = "\(folder)/view.json"
    try WholeFile.write(Array(Self.token.utf8), to: "\(folder)/token")
    let text = """
      {"out": "\(history.out)", "spool": "\(folder)/spool", "models": ["\(folder)/campaigns/models"],
       "view": {"listen": "127.0.0.1:\(Self.port)", "tls": false, "users": [{"name": "benchmark", "token_file": "\(folder)/token"}]}}
      """
    try WholeFile.write(Array(text.utf8), to: configuration)
    let start = ContinuousClock.now
    let command = [history.postback, "view", "--config", configuration, "--quiet"]
    let server = ServerProcess(command, named: "view", in: folder)
    var client = ViewClient(port: Self.port)
    try await client.enter(Self.token)
    var measures = [
      Measure("view.start", "from the start to the first answer", (.now - start) / .milliseconds(1), .milliseconds)
    ]
    for (id, title, path, bar) in Self.pages {
      measures.append(try median("view.\(id)", title, path, bar, client))
    }
    measures += try onePostback(client)
    try await waitForSections(client)
    let made = (.now - start) / Duration.milliseconds(1)
    let crowd = try client.get("/api/overview", times: Self.viewers).map(\.time).max() ?? .zero
    let slowest = "the slowest of \(Self.viewers) overviews at once"
    measures += [
      Measure("view.sections", "until the sections are made", made, .milliseconds),
      Measure("view.crowd", slowest, crowd / .milliseconds(1), .milliseconds),
      try sizeOfScript(client),
    ]
    let (paint, skipped) = try firstPaint()
    measures += paint
    let neighbour = ViewNeighbour(history: history, configuration: configuration, page: client, viewers: Self.viewers)
    measures += try await neighbour.measures()
    if let peak = try await server.stop().peakMemory {
      measures.append(Measure("view.memory", "peak memory", Double(peak) / 1e6, .megabytes, note: "at most 300 MB"))
    }
    return (measures, skipped)
  }

  private static let pages = [
    ("overview", "overview", "/api/overview", 200), ("campaigns", "campaigns", "/api/campaigns", 300),
    ("compared", "campaigns by day, compared", compared, 300), ("rejects", "rejects, the newest", "/api/rejects", 1000),
    ("filter", "rejects of a rare code", "/api/rejects?code=not_json", 1000),
    (
      "sender", "rejects of a forwarder on a day", "/api/rejects?forwarder=appsflyer&since=2026-03-10&until=2026-03-11",
      1000
    ),
    ("text", "rejects with a text that none has", "/api/rejects?contains=zzzzzzzz", 1000),
    ("postbacks", "postbacks of a campaign", "/api/postbacks?where=campaign_id:1000001", 1000),
  ]

  /// Measures an answer: the median of five.
  private func median(
    _ id: String,
    _ title: String,
    _ path: String,
    _ bar: Int,
    _ client: ViewClient
  ) throws -> Measure {
    let times = try (0..<5).map { _ in try client.get(path).time }.sorted()
    let note = "at most \(bar) ms; the median of 5"
    return Measure(id, title, times[2] / .milliseconds(1), .milliseconds, note: note)
  }

  /// Measures everything about one postback. The first question makes the index of each part.
  private func onePostback(_ client: ViewClient) throws -> [Measure] {
    let answer = try JSONValue(parsing: Array(try client.get("/api/postbacks?limit=1").body.utf8))
    guard let key = answer["rows"]?.elements?.first?["postback_key"]?.text else {
      throw BenchmarkFailure("the page shows no postback")
    }
    let path = "/api/postback?id=\(key)"
    let first = try client.get(path).time
    return [
      Measure("view.index", "one postback, with the indexes to be made", first / .milliseconds(1), .milliseconds),
      try median("view.postback", "one postback", path, 50, client),
    ]
  }

  /// Measures the size of the script as a proxy may compress it; the server sends it as it is.
  private func sizeOfScript(_ client: ViewClient) throws -> Measure {
    let path = "\(folder)/page.js"
    let text = try client.get("/page.js").body
    try WholeFile.write(Array(text.utf8), to: path)
    let count = try ProcessRun(["sh", "-c", "gzip -6 -c \(path) | wc -c"]).output.filter(\.isNumber)
    let note = "at most 150 000 bytes; \(text.utf8.count) uncompressed"
    return Measure("view.script", "the script, compressed by gzip", Double(count) ?? 0, .bytes, note: note)
  }

  /// Measures the first paint in Chromium, and the time until the overview has its numbers; none without Chromium.
  private func firstPaint() throws -> (measures: [Measure], skipped: [String]) {
    let program = "Tests/first_paint.py"
    guard ["chromium", "chromium-browser", "google-chrome"].contains(where: ProcessRun.isInstalled),
      ProcessRun.isInstalled("python3"), unsafe access(program, R_OK) == 0
    else { return ([], ["first paint: there is no Chromium, no python3 or no \(program)"]) }
    let address = "http://127.0.0.1:\(Self.port)/?token=\(Self.token)"
    let words = try ProcessRun(["python3", program, address]).output.split(whereSeparator: \.isWhitespace)
    let times = words.compactMap { Double($0) }
    guard times.count == 2 else { throw BenchmarkFailure("\(program) printed no two times") }
    let (title, bar) = ("first paint of the overview", "at most 1000 ms; the median of 5")
    let measures = [
      Measure("view.paint", title, times[0], .milliseconds, note: bar),
      Measure("view.painted", "    until it has its numbers", times[1], .milliseconds),
    ]
    return (measures, [])
  }

  private static let compared =
    "/api/campaigns?by=date,campaign_id&since=2026-03-01&until=2026-04-01&compare_since=2026-02-01&compare_until=2026-03-01"

  private func waitForSections(_ client: ViewClient) async throws {
    for _ in 0..<3600 {
      if try client.attempt("/api/report").status == 200 { return }
      try await Task.sleep(for: .milliseconds(200))
    }
    throw BenchmarkFailure("the sections are not made within 12 minutes")
  }
}
