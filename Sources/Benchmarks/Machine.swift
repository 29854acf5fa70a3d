internal import Glibc
internal import Signatures

/// The machine, the system and the tools of the measurement.
enum Machine {
  /// The number of cores that are online.
  static var cores: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

  /// The facts that a reader needs to compare reports, each with its name.
  static var facts: [(name: String, value: String)] {
    [
      ("cores", "\(cores)"),
      ("cpu", field("model name", of: "/proc/cpuinfo", separator: ":") ?? "unknown"),
      ("os", field("PRETTY_NAME", of: "/etc/os-release", separator: "=") ?? "unknown"),
      ("libcrypto", Libcrypto.version),
      ("openssl", firstLine(of: ["openssl", "version"]) ?? "not installed"),
      ("swift", firstLine(of: ["swift", "--version"]) ?? "not installed"),
    ]
  }

  private static func firstLine(of command: [String]) -> String? {
    guard ProcessRun.isInstalled(command[0]), let run = try? ProcessRun(command) else { return nil }
    return run.output.split(separator: "\n").first.map(String.init)
  }

  private static func field(_ name: String, of path: String, separator: Character) -> String? {
    guard let bytes = try? FileBytes.all(of: path) else { return nil }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
      guard let value = line.split(separator: separator, maxSplits: 1).dropFirst().first else { continue }
      return value.split(separator: " ").joined(separator: " ").filter { $0 != "\"" }
    }
    return nil
  }
}
