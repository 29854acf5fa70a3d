internal import Base
internal import DurableFiles
internal import Glibc

/// The log of a service: one line for each event, on standard error. A closed reader is not an error.
package struct Log: Sendable {
  private let format: LogFormat
  private let isQuiet: Bool
  private let descriptor: Int32

  /// Creates a log. A quiet one leaves out normal events.
  package init(_ format: LogFormat = .text, isQuiet: Bool = false, to descriptor: Int32 = STDERR_FILENO) {
    self.format = format
    self.isQuiet = isQuiet
    self.descriptor = descriptor
  }

  /// Logs a normal event, unless the log is quiet.
  func info(_ event: String, _ message: String, _ fields: LogFields = [:]) { write(.info, event, message, fields) }

  /// Logs a problem that needs attention but does not stop the service.
  func warning(_ event: String, _ message: String, _ fields: LogFields = [:]) {
    write(.warning, event, message, fields)
  }

  /// Logs a failure.
  func error(_ event: String, _ message: String, _ fields: LogFields = [:]) { write(.error, event, message, fields) }

  private func write(_ level: LogLevel, _ event: String, _ message: String, _ fields: LogFields) {
    if level == .info, isQuiet { return }
    let entry = LogEntry(time: .now, level: level, event: event, message: message, fields: fields)
    // A single write keeps the lines of several tasks apart.
    _ = Array((entry.line(as: format) + "\n").utf8).writeAll(to: descriptor)
  }
}
