public import Base

/// The span of install dates to which a model applies.
public struct EffectiveSpan: Hashable, Sendable {
  /// The first moment of the span; nil where the model applies to all installs before the end.
  public let start: Timestamp?
  /// The first moment after the span; nil where the span has no end.
  public let end: Timestamp?

  /// Tells if the span contains `time`.
  public func contains(_ time: Timestamp) -> Bool { begins(by: time) && !ends(by: time) }

  /// Tells if the span begins at `time` or earlier.
  func begins(by time: Timestamp) -> Bool { start.map { $0 <= time } ?? true }

  /// Tells if the span has ended at `time`.
  func ends(by time: Timestamp) -> Bool { end.map { $0 <= time } ?? false }

  /// Tells if the span ends before `other` begins, or exactly then.
  func precedes(_ other: EffectiveSpan) -> Bool { other.start.map(ends(by:)) ?? false }
}

extension EffectiveSpan: CustomStringConvertible {
  /// The span as text: `2026-01-01T00:00:00Z to 2026-03-01T00:00:00Z`, with `null` for an open end.
  public var description: String { "\(start?.description ?? "null") to \(end?.description ?? "null")" }
}
