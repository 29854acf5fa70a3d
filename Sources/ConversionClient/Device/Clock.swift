internal import Foundation

/// The time, as the client sees it.
public protocol Clock: Sendable {
  /// The whole seconds since 1970 began.
  var now: Int { get }

  /// Waits; throws `CancellationError` if the task is cancelled.
  func sleep(seconds: Double) async throws
}

/// The clock of the device.
public struct SystemClock: Clock {
  /// The clock of the device.
  public init() {}

  /// The whole seconds since 1970 began.
  public var now: Int { Int(Date().timeIntervalSince1970.rounded(.down)) }

  /// Waits; throws if the task is cancelled.
  public func sleep(seconds: Double) async throws {
    try await Task.sleep(nanoseconds: UInt64(max(seconds, 0) * 1_000_000_000))
  }
}
