public import Base
package import JSON

/// The meanings of an app's conversion values for installs in a span of time.
///
/// An instance is one version of a model and never changes.
@available(iOS 18.0, *)
public final class ConversionModel: Sendable {
  /// The advertised app's App Store id (AdAttributionKit: advertised item id).
  public let appID: Int64
  /// The model's id and version.
  public let label: ModelLabel
  /// The install dates to which the model applies.
  public let span: EffectiveSpan
  /// The ISO 4217 code of the currency of all revenue in the model; nil in a model without revenue.
  public let currency: String?
  /// The source of the model's revenue.
  public let revenueKind: RevenueKind
  /// The number of hours after the first launch in which the app updates the value, 1 to 1440. Only SKAdNetwork 3.0
  /// and earlier use it.
  public let measurementHours: Int
  /// Indicates that users may come back to the app through an ad, in which case AdAttributionKit ends conversion
  /// windows early.
  public let takesPartInReengagement: Bool
  /// The app's bundle id, for lookups; nil where the model does not state it.
  public let bundleID: String?
  /// The conversion windows that the model describes.
  public let windows: [ModelWindow]
  /// The model's definition as it was parsed.
  package let definition: JSONValue

  init(
    appID: Int64,
    label: ModelLabel,
    span: EffectiveSpan,
    currency: String?,
    revenueKind: RevenueKind,
    measurementHours: Int,
    takesPartInReengagement: Bool,
    bundleID: String?,
    windows: [ModelWindow],
    definition: JSONValue
  ) {
    (self.appID, self.label, self.span) = (appID, label, span)
    (self.currency, self.revenueKind, self.measurementHours) = (currency, revenueKind, measurementHours)
    (self.takesPartInReengagement, self.bundleID, self.windows) = (takesPartInReengagement, bundleID, windows)
    self.definition = definition
  }

  /// The window with that `postback-sequence-index` for conversions of that type: the type's own window if there is
  /// one, else the window for all types. Nil where the model describes neither. A type that is not known, nil, has only
  /// the window for all types.
  public func window(_ postbackSequenceIndex: Int, _ conversionType: ConversionType? = .install) -> ModelWindow? {
    windowIndex(postbackSequenceIndex, conversionType).map { windows[$0] }
  }

  /// The index in `windows` of the window that `window(_:_:)` returns: decoding needs no copy of the window.
  func windowIndex(_ postbackSequenceIndex: Int, _ conversionType: ConversionType?) -> Int? {
    var forOthers: Int?
    for index in windows.indices where windows[index].postbackSequenceIndex == postbackSequenceIndex {
      if windows[index].conversionType == conversionType { return index }
      if windows[index].conversionType == nil { forOthers = index }
    }
    return forOthers
  }

  /// The names of the events in the meanings and lock rules of all windows, with repetitions.
  package var eventNames: [String] {
    windows.flatMap { window in
      let meanings = (window.fineTable.meanings + window.coarseTable.meanings).compactMap { $0 }
      let names = meanings.flatMap { $0.events.map(\.name) }
      return if case .event(let name) = window.lockRule { names + [name] } else { names }
    }
  }

  /// The meaning of a conversion value; nil where the model does not list it, or there is no value.
  ///
  /// Apple sends one of the two. If both are present, the fine value is used, unless it may come from a forwarder that
  /// fills absent fields with zeros: a 0, or any fine value in windows 1 and 2, which have coarse values only.
  public func meaning(
    window: Int,
    fine: Int?,
    coarse: CoarseValue?,
    conversionType: ConversionType? = .install
  ) -> DecodedMeaning? {
    guard let index = windowIndex(window, conversionType) else { return nil }
    if let coarse, fine == nil || fine == 0 || window > 0 { return windows[index].meaning(coarse: coarse) }
    return fine.flatMap { windows[index].meaning(fine: $0) }
  }
}

/// The id and the version of a model, written as `revenue@2`.
public struct ModelLabel: Hashable, Sendable, CustomStringConvertible {
  /// The model's id: 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_` and `-`.
  public let modelID: String
  /// The version, from 1.
  public let version: Int

  /// The label as text, such as `revenue@2`.
  public var description: String { "\(modelID)@\(version)" }
}

/// The span of install dates to which a model applies.
public struct EffectiveSpan: Hashable, Sendable {
  /// The first moment of the span; nil where the model applies to all installs before the end.
  public let start: Timestamp?
  /// The first moment after the span; nil where the span has no end.
  public let end: Timestamp?

  /// Tells if the span contains `time`.
  public func contains(_ time: Timestamp) -> Bool { begins(by: time) && !ends(by: time) }

  /// Tells if the span contains all times of another one.
  package func contains(_ other: EffectiveSpan) -> Bool {
    (other.start.map(begins(by:)) ?? (start == nil)) && (end.map(other.ends(by:)) ?? true)
  }

  /// Tells if the span begins at `time` or earlier.
  func begins(by time: Timestamp) -> Bool { start.map { $0 <= time } ?? true }

  /// Tells if the span has ended at `time`.
  func ends(by time: Timestamp) -> Bool { end.map { $0 <= time } ?? false }

  /// Tells if the span ends before `other` begins, or exactly then.
  package func precedes(_ other: EffectiveSpan) -> Bool { other.start.map(ends(by:)) ?? false }
}

extension EffectiveSpan: CustomStringConvertible {
  /// The span as text: `2026-01-01T00:00:00Z to 2026-03-01T00:00:00Z`, with `null` for an open end.
  public var description: String { "\(start?.description ?? "null") to \(end?.description ?? "null")" }
}
