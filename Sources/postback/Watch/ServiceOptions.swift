internal import PostbackService

/// The options of the long-running commands, `watch` and `serve`.
enum ServiceOptions {
  static let options = [
    Option("--log-format", "FORMAT", "The format of log lines on standard error, text or json; default: text."),
    Option("--metrics-file", "FILE", "The file for metrics, for Prometheus' node_exporter; replaced every second."),
  ]

  /// Returns the log with the format of `--log-format`.
  static func log(_ arguments: Arguments) throws(CommandFailure) -> Log {
    let format = try arguments.value("--log-format", "text or json") { LogFormat(rawValue: $0) }
    return Log(format ?? .text, isQuiet: Terminal.isQuiet)
  }

  /// Returns the file of `--metrics-file`; nil if the option is absent.
  static func metricsFile(_ arguments: Arguments) throws(CommandFailure) -> ReplacedFile? {
    let path = try arguments.value("--metrics-file", "a path") { $0.isEmpty || $0.hasSuffix("/") ? nil : $0 }
    return path.map { ReplacedFile($0) }
  }
}
