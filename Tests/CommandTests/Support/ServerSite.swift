import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// `postback serve` as it was built, over a spool of its own, on a port that is free.
final class ServerSite {
  let folder: TemporaryFolder
  private let process = Process()
  private(set) var port = 0

  /// Starts it, with a configuration and options, in a new folder or in that of one that has ended, and waits until it
  /// listens.
  init(
    _ options: [String] = [],
    in old: TemporaryFolder? = nil,
    configuration: String = #"{"limits":{"requests_per_minute":0}}"#,
    fault: Fault? = nil,
    files: [String: String] = [:]
  ) async throws {
    folder = try old ?? TemporaryFolder()
    // All folders, so that a fault strikes when something is received and not before.
    for name in ["tmp", "new", "done", "failed"] {
      try FileManager.default.createDirectory(atPath: "\(spool)/\(name)", withIntermediateDirectories: true)
    }
    for (name, text) in files { try folder.makeFile(name, holding: Array(text.utf8)) }
    let settings = configuration.replacing("FOLDER", with: folder.path(""))
    try folder.makeFile("server.json", holding: Array(settings.utf8))
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      (fault?.arguments ?? []) + [try BuiltCommand.path, "serve", "--listen", "127.0.0.1:0", "--spool", spool]
      + ["--config", folder.path("server.json"), "--log-format", "json"]
      + options.map { $0.replacing("FOLDER", with: folder.path("")) }
    try folder.makeFile("log")
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("log")))
    try process.run()
    try await wait("it listens") {
      for line in try log() where line["event"] == .string("listening") { port = line.integer("port") ?? 0 }
      return port != 0
    }
  }

  deinit {
    guard process.isRunning else { return }
    signal(SIGKILL)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var spool: String { folder.path("spool") }
  var isRunning: Bool { process.isRunning }

  /// A new connection, from 127.0.0.`host`.
  func client(host: UInt8 = 1) throws -> RawClient { try RawClient(port: port, host: host) }

  /// A request on a connection of its own.
  func request(
    _ method: String,
    _ target: String,
    _ headers: [String] = [],
    body: String? = nil
  ) throws -> RawClient.Answer {
    try client().request(method, target, headers, body: body.map { Array($0.utf8) })
  }

  /// The lines of the log so far.
  func log() throws -> [JSONObject] {
    let text = try folder.contents(of: "log")
    let whole = text.lastIndex(of: UInt8(ascii: "\n")).map { text[...$0] } ?? []
    return try whole.split(separator: UInt8(ascii: "\n")).filter { $0.first == UInt8(ascii: "{") }.flatMap {
      try JSONObject.lines(Array($0))
    }
  }

  /// The names of files in a folder of the spool, sorted.
  func names(_ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(spool)/\(name)").sorted()
  }

  /// The lines that were received, in order.
  func envelopes() throws -> [JSONObject] {
    try names("new").flatMap { try JSONObject.lines(try folder.contents(of: "spool/new/\($0)")) }
  }

  /// A number that it tells of itself.
  func metric(_ name: String) throws -> Double? {
    let text = try request("GET", "/metrics").text
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  /// The process that serves, where nothing traces it.
  var serverID: Int32 { process.processIdentifier }

  /// Sends a signal to the command, also where a tracer started it.
  func signal(_ number: Int32) {
    let children =
      (try? String(
        contentsOfFile: "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children",
        encoding: .utf8
      )) ?? ""
    kill(children.split(separator: " ").first.flatMap { pid_t($0) } ?? process.processIdentifier, number)
  }

  /// Waits for its end; its exit status.
  func end() async throws -> Int32 {
    try await wait("it ends") { !process.isRunning }
    return process.terminationStatus
  }

  /// Asks it to leave, and waits for that; its exit status.
  func stop() async throws -> Int32 {
    signal(SIGTERM)
    return try await end()
  }

  /// Waits until something is so, for as long as a slow machine may take.
  func wait(_ what: String, until isSo: () throws -> Bool) async throws {
    for _ in 0..<1500 {
      if try isSo() { return }
      if port == 0, !process.isRunning { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    let log = String(decoding: try folder.contents(of: "log"), as: UTF8.self)
    throw RawClient.Failure(text: "waited in vain until \(what): \(log)")
  }
}
