import Foundation

/// strace, by which a system call is made to fail.
enum Tracer {
  /// Whether it is there, and may trace.
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

/// Calls of one kind that go wrong.
struct Fault: Sendable, CustomStringConvertible {
  /// The system call.
  let call: String
  /// What happens, as strace has it: `error=EIO`.
  let effect: String
  /// Which of the calls; all unless given. strace counts by thread, so the command gets one for all its tasks.
  var count: String?
  /// Only calls that concern this path.
  var path: String?

  var description: String { "\(call) \(effect) \(count ?? "always")" }

  /// What goes before the command, which is the process that is started, strace being its child.
  var arguments: [String] {
    [
      "strace", "-D", "-f", "-qq", "-o", "/dev/null", "-E", "LIBDISPATCH_COOPERATIVE_POOL_STRICT=1", "-e",
      "trace=\(call)",
    ]
      + ["-e", "inject=\(call):\(effect)" + (count.map { ":when=\($0)" } ?? "")] + (path.map { ["-P", $0] } ?? [])
  }
}
