internal import Base
internal import TableReading

/// The options `--since` and `--until` about times of receipt.
struct PeriodOptions: Sendable {
  let since: Timestamp?
  let until: Timestamp?

  /// Reads the options. Their help begins with `subject`, such as "Count only rejects".
  init(_ subject: String) {
    since = Option("--since T", "\(subject) received at this time or later: RFC 3339, or a date.").value(.time)
    until = Option("--until T", "\(subject) received before this time.").value(.time)
  }

  var span: TimeSpan { TimeSpan(since: since?.milliseconds, until: until?.milliseconds) }
}

/// The options `--since` and `--until` about days.
struct DayOptions: Sendable {
  /// The first day, as days since 1970.
  let since: Int64?
  /// The day after the last one, as days since 1970.
  let until: Int64?

  /// Reads the options, whose help is given.
  init(since: String, until: String) {
    self.since = Option("--since DATE", since).value(.day)
    self.until = Option("--until DATE", until).value(.day)
  }

  /// Throws if there is no day between them.
  func check() throws {
    if let since, let until, since >= until {
      throw CommandFailure(.usage, "--until must be a later day than --since.")
    }
  }
}

extension Option {
  static let lateDays = Option(
    "--late-days N",
    "Count a copy as late if it comes more than N days after the first; default 10."
  )
}
