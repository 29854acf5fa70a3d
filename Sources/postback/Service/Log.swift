internal import ConversionModel
internal import Glibc
internal import PostbackPipeline

/// What a service tells of itself: a line an event, on standard error. A reader that is gone is not an error.
struct Log: Sendable {
  private let format: LogFormat
  private let descriptor: Int32

  init(_ format: LogFormat = .text, to descriptor: Int32 = STDERR_FILENO) {
    self.format = format
    self.descriptor = descriptor
  }

  /// Tells of something that went as it should.
  func info(_ event: String, _ message: String, _ fields: LogFields = [:]) { write(.info, event, message, fields) }

  /// Tells of something that somebody should look at, and that stops nothing.
  func warning(_ event: String, _ message: String, _ fields: LogFields = [:]) {
    write(.warning, event, message, fields)
  }

  /// Tells of something that failed.
  func error(_ event: String, _ message: String, _ fields: LogFields = [:]) { write(.error, event, message, fields) }

  private func write(_ level: LogLevel, _ event: String, _ message: String, _ fields: LogFields) {
    if level == .info, Terminal.isQuiet { return }
    let entry = LogEntry(time: .now, level: level, event: event, message: message, fields: fields)
    // One write, so that the lines of several tasks do not mix.
    _ = Array((entry.line(as: format) + "\n").utf8).writeAll(to: descriptor)
  }
}
