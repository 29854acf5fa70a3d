public import JSON

/// What an app's conversion values mean for installs in a span of time.
///
/// One version of a model; it never changes.
public final class ConversionModel: Sendable {
  /// The advertised app's App Store id (AdAttributionKit: advertised item id).
  public let appID: Int64
  /// The model's id and version.
  public let label: ModelLabel
  /// The install dates that it is for.
  public let span: EffectiveSpan
  /// The ISO 4217 code of the currency of all its revenue; nil in a model without revenue.
  public let currency: String?
  /// What its revenue comes from.
  public let revenueKind: RevenueKind
  /// For how many hours after the first launch the app updates the value, in SKAdNetwork 3.0 and before.
  public let measurementHours: Int
  /// The possibility that people come back to the app by an ad, which makes AdAttributionKit end conversion windows early.
  public let takesPartInReengagement: Bool
  /// The app's bundle id, by which it can be found; nil where the model does not say it.
  public let bundleID: String?
  /// The windows that it describes.
  public let windows: [ModelWindow]
  /// The model as it was written.
  public let definition: JSONValue

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
    self.appID = appID
    self.label = label
    self.span = span
    self.currency = currency
    self.revenueKind = revenueKind
    self.measurementHours = measurementHours
    self.takesPartInReengagement = takesPartInReengagement
    self.bundleID = bundleID
    self.windows = windows
    self.definition = definition
  }

  /// The window with that `postback-sequence-index` for conversions of that type: the type's own where there is one, else
  /// the one for all others. Nil where the model describes neither.
  public func window(_ postbackSequenceIndex: Int, _ conversionType: ConversionType? = nil) -> ModelWindow? {
    var forOthers: Int?
    for index in windows.indices where windows[index].postbackSequenceIndex == postbackSequenceIndex {
      if windows[index].conversionType == conversionType { return windows[index] }
      if windows[index].conversionType == nil { forOthers = index }
    }
    return forOthers.map { windows[$0] }
  }

  /// What a conversion value means; nil where the model does not list it, or there is none.
  ///
  /// Apple sends one of the two. Where both are there the fine value counts, unless a forwarder that fills absent fields
  /// with zeros may have made it: a 0, or any in a window that has coarse values only.
  public func meaning(
    window: Int,
    fine: Int?,
    coarse: CoarseValue?,
    conversionType: ConversionType? = nil
  ) -> Meaning? {
    guard let window = self.window(window, conversionType) else { return nil }
    if let coarse, fine == nil || fine == 0 || window.postbackSequenceIndex > 0 {
      return window.meaning(coarse: coarse)
    }
    return fine.flatMap(window.meaning(fine:))
  }
}
