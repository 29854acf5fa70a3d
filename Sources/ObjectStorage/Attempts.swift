internal import Glibc

/// The attempts at one step, with a pause after each failure that is twice as long as the one before.
struct Attempts {
  private static let limit = 7
  private static let firstPause: Int64 = 200
  /// The longest pause that a server can ask for, in milliseconds.
  private static let longestPause: Int64 = 60_000

  private var failures: Int64 = 0

  /// Counts a failure, and waits before the next attempt: as long as the server asks, in milliseconds, or longer. Returns false
  /// if there were attempts enough.
  mutating func wait(asked: Int64 = 0) -> Bool {
    failures += 1
    guard failures < Self.limit else { return false }
    let pause = Self.firstPause << (failures - 1)
    // Readers that failed together must not come back together.
    let drawn = Int64.random(in: pause / 2...pause)
    usleep(UInt32(max(drawn, min(asked, Self.longestPause))) * 1000)
    return true
  }
}
