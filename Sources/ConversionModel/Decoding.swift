/// The decoded meaning of a postback's conversion value, with the certainty of the result.
public struct Decoding: Sendable {
  /// The outcome of decoding.
  public let status: DecodeStatus
  /// The interval of possible install dates.
  public let interval: InstallDateInterval
  /// The model in force; nil unless `decoded` or `unmapped`.
  public let model: ModelLabel?
  /// The models that disagree, joined by `|`, the earliest first: `revenue@2|revenue@3`, or `none|revenue@1` where
  /// part of the interval has no model. Nil unless `ambiguous`.
  public let ambiguousModels: String?
  /// The events that the value stands for; empty unless `decoded`.
  public let events: [ModelEvent]
  /// The total revenue of the events: zero where none has revenue; nil where the model has no currency, and unless
  /// `decoded`.
  public let revenue: Revenue?
  /// The currency of all revenue; nil unless `decoded`.
  public let currency: String?
  /// The source of the revenue; nil unless `decoded`.
  public let revenueKind: RevenueKind?
  /// Indicates that the window's values include those of the windows before; nil unless `decoded`.
  ///
  /// Never add the counts and revenue of a cumulative window to those of earlier windows of the same users.
  public let isCumulative: Bool?

  /// A result without a meaning, for every status but `decoded`.
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

  /// A `decoded` result: the value means `meaning` in `model`.
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
