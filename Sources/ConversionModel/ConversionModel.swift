public import JSON

/// The meanings of an app's conversion values for installs in a span of time.
///
/// An instance is one version of a model and never changes.
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

  /// The window with that `postback-sequence-index` for conversions of that type: the type's own window if there is
  /// one, else the window for all types. Nil where the model describes neither.
  public func window(_ postbackSequenceIndex: Int, _ conversionType: ConversionType? = nil) -> ModelWindow? {
    var forOthers: Int?
    for index in windows.indices where windows[index].postbackSequenceIndex == postbackSequenceIndex {
      if windows[index].conversionType == conversionType { return windows[index] }
      if windows[index].conversionType == nil { forOthers = index }
    }
    return forOthers.map { windows[$0] }
  }

  /// The meaning of a conversion value; nil where the model does not list it, or there is no value.
  ///
  /// Apple sends one of the two. If both are present, the fine value is used, unless it may come from a forwarder that
  /// fills absent fields with zeros: a 0, or any fine value in windows 1 and 2, which have coarse values only.
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
