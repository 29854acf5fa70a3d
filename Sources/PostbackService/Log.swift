internal import Base
internal import DurableFiles
internal import Glibc

/// The log of a service: one line for each event, on standard error. A closed reader is not an error.
package struct Log: Sendable {
  private let format: LogFormat
  private let level: LogLevel
  private let descriptor: Int32

  /// Creates a log of the events of a level and of more severe ones.
  package init(_ format: LogFormat = .text, level: LogLevel = .info, to descriptor: Int32 = STDERR_FILENO) {
    self.format = format
    self.level = level
    self.descriptor = descriptor
  }

  /// Logs an event of the regular work, of which there are many.
  func debug(_ event: String, _ message: String, _ fields: LogFields = [:]) { write(.debug, event, message, fields) }

  /// Logs a normal event.
  package func info(_ event: String, _ message: String, _ fields: LogFields = [:]) {
    write(.info, event, message, fields)
  }

  /// Logs a problem that needs attention but does not stop the service.
  package func warning(_ event: String, _ message: String, _ fields: LogFields = [:]) {
    write(.warning, event, message, fields)
  }

  /// Logs a failure.
  package func error(_ event: String, _ message: String, _ fields: LogFields = [:]) {
    write(.error, event, message, fields)
  }

  private func write(_ level: LogLevel, _ event: String, _ message: String, _ fields: LogFields) {
    guard level >= self.level else { return }
    let entry = LogEntry(time: .now, level: level, event: event, message: message, fields: fields)
    // A single write keeps the lines of several tasks apart.
    _ = Array((entry.line(as: format) + "\n").utf8).writeAll(to: descriptor)
  }
}
