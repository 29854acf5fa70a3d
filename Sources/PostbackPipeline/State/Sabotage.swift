internal import Glibc

/// What a debug build can be told to do wrong, so that tests which hunt for lost rows show that they would find some. A
/// release build does nothing wrong on purpose.
enum Sabotage: String {
  /// Parts get their names before the ledger knows that they are complete.
  case publishEarly = "publish-early"
  /// Inputs are put away before the ledger knows that they were read.
  case fileEarly = "file-early"
  /// Rows are committed that are not durable.
  case noPartSync = "no-part-sync"
  /// Entries of `seen.log` are committed that are not durable.
  case noLogSync = "no-log-sync"
  /// What was not committed is not cut off.
  case keepTail = "keep-tail"

  #if DEBUG
    private static let chosen = unsafe getenv("POSTBACK_SABOTAGE").flatMap {
      unsafe Sabotage(rawValue: String(cString: $0))
    }

    /// Whether this is to be done wrong.
    var isOn: Bool { self == Self.chosen }
  #else
    var isOn: Bool { false }
  #endif
}
