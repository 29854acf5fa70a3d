/// The options of the long-running commands, `watch` and `serve`.
enum ServiceOptions {
  static let options = [
    Option("--log-format", "FORMAT", "text or json: how lines on standard error are written; text unless given."),
    Option("--metrics-file", "FILE", "Where metrics go, for Prometheus' node_exporter: written anew each second."),
  ]

  /// Returns the log with the format of `--log-format`.
  static func log(_ arguments: Arguments) throws(CommandFailure) -> Log {
    Log(try arguments.value("--log-format", "text or json") { LogFormat(rawValue: $0) } ?? .text)
  }

  /// Returns the file of `--metrics-file`; nil if the option is absent.
  static func metricsFile(_ arguments: Arguments) throws(CommandFailure) -> ReplacedFile? {
    let path = try arguments.value("--metrics-file", "a path") { $0.isEmpty || $0.hasSuffix("/") ? nil : $0 }
    return path.map { ReplacedFile($0) }
  }
}
