/// The install dates that a model is for.
public struct EffectiveSpan: Hashable, Sendable {
  /// The first moment; nil where the model is for all installs before the end.
  public let start: Timestamp?
  /// The first moment after it; nil where it has no end.
  public let end: Timestamp?

  /// Whether it holds `time`.
  public func contains(_ time: Timestamp) -> Bool { begins(by: time) && !ends(by: time) }

  /// Whether it begins at `time` or earlier.
  func begins(by time: Timestamp) -> Bool { start.map { $0 <= time } ?? true }

  /// Whether it is over at `time`.
  func ends(by time: Timestamp) -> Bool { end.map { $0 <= time } ?? false }

  /// Whether nothing of it is left when `other` begins.
  func precedes(_ other: EffectiveSpan) -> Bool { other.start.map(ends(by:)) ?? false }
}

extension EffectiveSpan: CustomStringConvertible {
  /// `2026-01-01T00:00:00Z to 2026-03-01T00:00:00Z`.
  public var description: String { "\(start?.description ?? "null") to \(end?.description ?? "null")" }
}
