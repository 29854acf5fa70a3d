import Foundation
import Glibc
import JSON
import TestSupport
import Testing

/// The built `postback serve` with its own spool, on a free port.
final class ServerSite {
  let folder: TemporaryFolder
  private let process = Process()
  private(set) var port = 0

  /// Starts the server with a configuration and options, in a new folder or in that of a stopped server, and waits until
  /// it listens.
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
    process.waitUntilExit()
  }

  var spool: String { folder.path("spool") }
  var isRunning: Bool { process.isRunning }

  /// Opens a connection from 127.0.0.`host`.
  func client(host: UInt8 = 1, receiveBytes: Int32? = nil) throws -> RawClient {
    try RawClient(port: port, host: host, receiveBytes: receiveBytes)
  }

  /// Sends a request on a new connection.
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

  /// The names of the files in a folder of the spool and in the folders below it, sorted.
  func names(_ name: String) throws -> [String] {
    try folder.files(below: "spool/\(name)").map { $0.split(separator: "/").last.map(String.init) ?? "" }.sorted()
  }

  /// The received lines, in order.
  func envelopes() throws -> [JSONObject] {
    try names("new").flatMap { try JSONObject.lines(try folder.contents(of: "spool/new/\($0)")) }
  }

  /// A number from the server's metrics.
  func metric(_ name: String) throws -> Double? {
    let text = try request("GET", "/metrics").text
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  /// The process of the server, also if it is traced: the tracer is a process of its own.
  var serverID: Int32 { process.processIdentifier }

  /// Sends a signal to the server.
  func signal(_ number: Int32) { kill(serverID, number) }

  /// Waits for the end of the server, and returns its exit status. Prints the log if that is not 0.
  func end() async throws -> Int32 {
    try await wait("it ends") { !process.isRunning }
    if process.terminationStatus != 0 { print(try logText()) }
    return process.terminationStatus
  }

  /// Asks the server to stop, waits for its end, and returns its exit status.
  func stop() async throws -> Int32 {
    signal(SIGTERM)
    return try await end()
  }

  /// Waits until a condition is true, with a limit for slow machines.
  func wait(_ what: String, until isSo: () throws -> Bool) async throws {
    for _ in 0..<1500 {
      if try isSo() { return }
      if port == 0, !process.isRunning { break }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw RawClient.Failure(text: "waited in vain until \(what): \(try logText())")
  }

  private func logText() throws -> String { String(decoding: try folder.contents(of: "log"), as: UTF8.self) }
}
