import Foundation
import TestSupport
import Testing

/// A consumer with its own spool.
final class WatchSite {
  let folder: TemporaryFolder
  private var process: Process?

  init() throws {
    folder = try TemporaryFolder()
    for name in ["spool", "spool/tmp", "spool/new"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
  }

  deinit { process?.terminate() }

  /// Starts `postback watch`.
  func start(_ options: [String] = []) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try BuiltCommand.path)
    let fixed = ["--rescan-ms", "50", "--log-level", "debug"]
    process.arguments = ["watch", folder.path("spool"), "--out", folder.path("out")] + fixed + options
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: try folder.makeFile("log")))
    try process.run()
    self.process = process
    return process
  }

  /// Adds a file to the spool.
  func put(_ name: String, _ bytes: [UInt8]) throws {
    try FileManager.default.moveItem(
      atPath: try folder.makeFile("spool/tmp/\(name)", holding: bytes),
      toPath: folder.path("spool/new/\(name)")
    )
  }

  /// The consumer's output so far.
  var log: String {
    get throws { String(decoding: try folder.contents(of: "log"), as: UTF8.self) }
  }

  /// Waits until an event is in the log.
  func waitFor(_ event: String) async throws {
    for _ in 0..<600 {
      if try log.contains(" \(event): ") { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(event) did not come: \(try log)")
  }
}
