/// What a postback's conversion value means, and how sure that is.
public struct Decoding: Sendable {
  /// How far the value could be decoded.
  public let status: DecodeStatus
  /// When the app can have been installed.
  public let interval: InstallDateInterval
  /// The model in force; nil unless `decoded` or `unmapped`.
  public let model: ModelLabel?
  /// The models that do not agree, joined by `|`, the earliest first: `revenue@2|revenue@3`, or `none|revenue@1` where
  /// part of the interval has none. Nil unless `ambiguous`.
  public let ambiguousModels: String?
  /// What happened; empty unless `decoded`.
  public let events: [ModelEvent]
  /// The events' revenue together: zero where they have none; nil where the model has no currency, and unless `decoded`.
  public let revenue: Revenue?
  /// The currency of all revenue; nil unless `decoded`.
  public let currency: String?
  /// What the revenue comes from; nil unless `decoded`.
  public let revenueKind: RevenueKind?
  /// The model's statement that the window's values include those of the windows before; nil unless `decoded`.
  ///
  /// Counts and revenue of a cumulative window are never added to those of earlier windows of the same users.
  public let isCumulative: Bool?

  /// Nothing is known of what the value means.
  init(
    _ status: DecodeStatus,
    _ interval: InstallDateInterval,
    model: ModelLabel? = nil,
    ambiguousModels: String? = nil
  ) {
    self.status = status
    self.interval = interval
    self.model = model
    self.ambiguousModels = ambiguousModels
    events = []
    revenue = nil
    currency = nil
    revenueKind = nil
    isCumulative = nil
  }

  /// The value means `meaning` in `model`, in a window that is cumulative or not.
  init(_ meaning: Meaning, isCumulative: Bool, in model: ConversionModel, _ interval: InstallDateInterval) {
    status = .decoded
    self.interval = interval
    self.model = model.label
    ambiguousModels = nil
    events = meaning.events
    revenue = meaning.revenue
    currency = model.currency
    revenueKind = model.revenueKind
    self.isCumulative = isCumulative
  }
}
