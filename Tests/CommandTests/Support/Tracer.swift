import Foundation

/// The tracer strace, which makes system calls fail.
enum Tracer {
  /// True if strace is installed and permitted.
  static let works: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["strace", "-f", "-qq", "-o", "/dev/null", "true"]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}

/// A kind of system call that is made to fail.
struct Fault: Sendable, CustomStringConvertible {
  /// The system call.
  let call: String
  /// The fault in strace's notation, such as `error=EIO`.
  let effect: String
  /// The numbers of the failing calls; all if nil. strace counts for each thread, so the command runs with one thread.
  var count: String?
  /// The path to which failing calls are limited; nil for all.
  var path: String?

  var description: String { "\(call) \(effect) \(count ?? "always")" }

  /// The words before the command. The started process is the command, and strace is none of its children.
  var arguments: [String] {
    [
      "strace", "-D", "-f", "-qq", "-o", "/dev/null", "-E", "LIBDISPATCH_COOPERATIVE_POOL_STRICT=1", "-e",
      "trace=\(call)",
    ]
      + ["-e", "inject=\(call):\(effect)" + (count.map { ":when=\($0)" } ?? "")] + (path.map { ["-P", $0] } ?? [])
  }
}
