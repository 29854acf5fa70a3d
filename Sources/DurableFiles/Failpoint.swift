internal import Glibc

/// A deliberate fault that `POSTBACK_FAILPOINT` turns on in a debug build. Tests use the faults to prove that they
/// detect lost rows. A release build has none of them.
package enum Failpoint: String {
  /// Parts get their final names before it is committed that they are complete.
  case publishEarly = "publish-early"
  /// Inputs are put away before it is committed that they were read.
  case fileEarly = "file-early"
  /// Rows are committed that are not durable.
  case noPartSync = "no-part-sync"
  /// Entries of `seen.log` are committed that are not durable.
  case noLogSync = "no-log-sync"

  #if DEBUG
    private static let chosen = unsafe getenv("POSTBACK_FAILPOINT").flatMap {
      unsafe Failpoint(rawValue: String(cString: $0))
    }

    /// True if this fault is turned on.
    package var isOn: Bool { self == Self.chosen }
  #else
    /// Always false: a release build has no faults.
    package var isOn: Bool { false }
  #endif
}
