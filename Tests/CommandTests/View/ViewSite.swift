import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The built `postback view` on the tables of a dump of campaigns, which are made once for all tests.
final class ViewSite {
  /// The folder of the tables, with the derived ones.
  let out: String
  private let folder: TemporaryFolder
  private let process = Process()
  private(set) var port = 0
  /// The token in the address that was printed; empty with a configuration.
  private(set) var token = ""
  private(set) var cookie = ""

  private static let made = Task { try await Tables() }

  private struct Tables: Sendable {
    let folder: TemporaryFolder
    let out: String

    init() async throws {
      folder = try TemporaryFolder()
      out = folder.path("out")
      let (dump, files) = (folder.path("dump"), folder.path("files"))
      try await FraudSite.run(
        [
          "generate", "--count", "4000", "--seed", "7", "--campaigns", "12", "--days", "14", "--reporting", files,
          "--cost",
        ]
          + ["--out", dump, "--keys", folder.path("keys")]
      )
      try await FraudSite.run(
        ["run", dump, "--models", "\(files)/models", "--out", out] + folder.words(of: "keys")
      )
      try await FraudSite.run(["settle", out, "--lookups", "\(files)/lookups"])
      try await FraudSite.run(["enrich", out, "--lookups", "\(files)/lookups"])
      try await FraudSite.run(
        ["daily", out, "--lookups", "\(files)/lookups", "--environment", "custom"]
          + ["--dimensions", "app_id,network_name,campaign_id,country", "--cost", "\(files)/cost.csv"]
          + ["--rates", "\(files)/rates.csv", "--currency", "USD"]
      )
    }
  }

  /// The folder of the tables, without a server.
  static var tables: String { get async throws { try await made.value.out } }

  /// Starts the server, and opens a session unless `entersPage` is false.
  init(of output: String? = nil, entersPage: Bool = true, configuration: String? = nil) async throws {
    out = if let output { output } else { try await Self.tables }
    folder = try TemporaryFolder()
    process.executableURL = URL(fileURLWithPath: try BuiltCommand.path)
    process.arguments = ["view", out]
    if let configuration {
      process.arguments? += ["--config", try folder.makeFile("view.json", holding: Array(configuration.utf8))]
    }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.makeFile("output")))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.makeFile("errors")))
    try process.run()
    if configuration != nil {
      try await wait("it listens") {
        port = errors.firstMatch(of: /:(\d+) for/).flatMap { Int($0.1) } ?? 0
        return port != 0
      }
      return
    }
    try await wait("it prints an address") {
      let text = String(decoding: try folder.contents(of: "output"), as: UTF8.self)
      guard text.hasSuffix("\n"), let found = text.firstMatch(of: /http:\/\/127.0.0.1:(\d+)\/\?token=([0-9a-f]+)/)
      else {
        return false
      }
      (port, token) = (Int(found.1) ?? 0, String(found.2))
      return true
    }
    if entersPage { cookie = try enter() }
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Replaces the configuration, and sends SIGHUP.
  func reload(_ configuration: String) throws {
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.path("view.json")))
    kill(process.processIdentifier, SIGHUP)
  }

  /// The memory of the process in bytes.
  var residentBytes: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      return (status.firstMatch(of: /VmRSS:\s+(\d+)/).flatMap { Int($0.1) } ?? 0) * 1024
    }
  }

  /// Opens the address with a token, and returns the cookie.
  func enter(_ token: String? = nil) throws -> String {
    let answer = try request("GET", "/?token=\(token ?? self.token)", cookie: "")
    return String((answer.headers["set-cookie"] ?? "").prefix { $0 != ";" })
  }

  /// Sends a request with the cookie of the session.
  func request(
    _ method: String,
    _ target: String,
    cookie: String? = nil,
    _ headers: [String] = []
  ) throws -> RawClient.Answer {
    let cookie = cookie ?? self.cookie
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + (cookie.isEmpty ? [] : ["Cookie: \(cookie)"])
      + headers
    let client = try RawClient(port: port)
    client.send("\(lines.joined(separator: "\r\n"))\r\n\r\n")
    return try client.answer(hasBody: method != "HEAD")
  }

  /// Asks for data.
  func get(_ target: String) throws -> JSONValue {
    let answer = try request("GET", target)
    #expect(answer.status == 200, "\(target): \(answer.text)")
    return try JSONValue(parsing: answer.body)
  }

  var errors: String { (try? String(decoding: folder.contents(of: "errors"), as: UTF8.self)) ?? "" }
  var output: String { (try? String(decoding: folder.contents(of: "output"), as: UTF8.self)) ?? "" }

  /// Returns the times at which the files of the output were changed, by their paths in it.
  func fileTimes() throws -> [String: Date?] {
    let names = FileManager.default.enumerator(atPath: out)?.compactMap { $0 as? String } ?? []
    return Dictionary(
      uniqueKeysWithValues: try names.filter { !$0.hasSuffix("-shm") }.map { name in
        (name, try FileManager.default.attributesOfItem(atPath: "\(out)/\(name)")[.modificationDate] as? Date)
      }
    )
  }

  /// Sends a signal, and returns the exit status.
  func end(_ signal: Int32) async throws -> Int32 {
    kill(process.processIdentifier, signal)
    try await wait("it ends") { !process.isRunning }
    return process.terminationStatus
  }

  /// Waits until a condition is true, with a limit for slow machines.
  func wait(_ what: String, until isSo: () throws -> Bool) async throws {
    for _ in 0..<1500 {
      if try isSo() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("\(what): not in time; \(errors)")
    throw RawClient.Failure(text: what)
  }
}
