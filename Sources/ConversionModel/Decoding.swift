internal import Base

@available(iOS 18.0, *)
extension Models {
  /// Decodes a postback's conversion value with the model that applies to its install date.
  ///
  /// The install date is known only as an interval. If exactly one model applies to the whole interval, it decodes the
  /// value. If several models apply, all of them must give the value the same meaning; if they do not, or if part of
  /// the interval has no model, the result is `ambiguous`. The reported model is that of the estimated install date.
  ///
  /// If `receivedAt` is nil, all models of the app must agree, and times without a model do not count. For a
  /// development postback all models that began before its receipt must agree, and the last of them is reported.
  ///
  /// The lookup allocates memory only for the names of models that disagree.
  public func decode(_ conversion: ReceivedConversion) -> Decoding {
    let possible = PossibleModels(of: conversion, among: models(for: conversion.appID))
    let interval = possible.interval
    guard conversion.won else { return Decoding(.notWon, interval) }
    guard conversion.fineValue != nil || conversion.coarseValue != nil else { return Decoding(.null, interval) }
    guard let first = possible.first else { return Decoding(.noModel, interval) }
    guard !possible.isAmbiguous else {
      return Decoding(.ambiguous, interval, ambiguousModels: possible.names.joined(separator: "|"))
    }
    let model = (interval.estimated ?? interval.latest).flatMap(possible.model(at:)) ?? first
    guard let meaning = conversion.meaning(under: model) else {
      return Decoding(.unmapped, interval, model: model)
    }
    let isCumulative = conversion.isCumulative(in: model)
    return Decoding(.decoded, interval, model: model, meaning: meaning, isCumulative: isCumulative)
  }
}

/// The models of an app that may have been in force at the first launch, and the times at which that may have been.
///
/// Under each model other times are possible: the app may lock the window, take part in re-engagement or measure for longer. So a
/// model is possible if one of its times is in its span. Parts of time without a model have the times of all models of the app.
@available(iOS 18.0, *)
private struct PossibleModels {
  private let conversion: ReceivedConversion
  private let models: [ConversionModel]
  /// The smallest interval with all possible times.
  private(set) var interval = InstallDateInterval.unbounded
  /// The earliest possible model.
  private(set) var first: ConversionModel?
  /// Indicates that a possible part of time has no model, or that possible models give the value other meanings.
  private(set) var isAmbiguous = false

  init(of conversion: ReceivedConversion, among models: [ConversionModel]) {
    (self.conversion, self.models) = (conversion, models)
    var (found, first, isAmbiguous): (InstallDateInterval?, ConversionModel?, Bool) = (nil, nil, false)
    forEach { model, interval in
      found = found?.union(interval) ?? interval
      guard let model else { return isAmbiguous = true }
      if let first, !conversion.isSame(under: model, and: first) { isAmbiguous = true }
      first = first ?? model
    }
    (interval, self.first, self.isAmbiguous) = (found ?? times(under: nil), first, isAmbiguous)
  }

  /// The names of the possible models in the order of time, with `none` for each possible part of it that has no model.
  var names: [String] {
    var names: [String] = []
    forEach { model, _ in names.append(model?.label.description ?? "none") }
    return names
  }

  /// The possible model at a time; nil if there is none.
  func model(at time: Timestamp) -> ConversionModel? {
    models.first { $0.span.contains(time) && times(under: $0).meets($0.span) }
  }

  /// Visits the possible models in the order of time, and nil for each possible part of it that has no model, with its possible times.
  private func forEach(_ visit: (ConversionModel?, InstallDateInterval) -> Void) {
    func visitPart(_ model: ConversionModel?, _ span: EffectiveSpan) {
      let times = times(under: model)
      guard times.meets(span) else { return }
      // Before the first model there is no model that a test could have been made with.
      let counts = model != nil || times.latest != nil && (span.start != nil || times.earliest != nil)
      if counts { visit(model, times.limited(to: span)) }
    }
    var end: Timestamp?
    for model in models {
      if let start = model.span.start, start != end { visitPart(nil, EffectiveSpan(start: end, end: start)) }
      visitPart(model, model.span)
      end = model.span.end
    }
    if models.isEmpty || end != nil { visitPart(nil, EffectiveSpan(start: end, end: nil)) }
  }

  /// The times of the first launch that timers allow under a model, or under any model of the app.
  private func times(under model: ConversionModel?) -> InstallDateInterval {
    guard !conversion.isDevelopment else { return .development(receivedAt: conversion.receivedAt) }
    /// Tells if something is so under the model, or under any of the app.
    func holds(_ isTrue: (ConversionModel) -> Bool) -> Bool { model.map(isTrue) ?? models.contains(where: isTrue) }
    return InstallDateInterval(
      receivedAt: conversion.receivedAt,
      family: conversion.family,
      window: conversion.window,
      conversionValueIsZero: conversion.fineValue == 0,
      locksWindow: holds(conversion.isLockedEarly(under:)),
      // Without a model the app may take part in re-engagement, and one proves that it does, whatever the model states.
      systemLocksWindow: models.isEmpty || conversion.conversionType == .reEngagement
        || holds(\.takesPartInReengagement),
      measurementHours: model?.measurementHours ?? models.lazy.map(\.measurementHours).max() ?? 24
    )
  }
}

@available(iOS 18.0, *)
extension ReceivedConversion {
  /// Tells if the app may have locked the window where that model is in force.
  fileprivate func isLockedEarly(under model: ConversionModel) -> Bool {
    model.windowIndex(window, conversionType).map { model.windows[$0].isLockedEarly } ?? false
  }

  fileprivate func isCumulative(in model: ConversionModel) -> Bool {
    model.windowIndex(window, conversionType).map { model.windows[$0].isCumulative } ?? false
  }

  fileprivate func meaning(under model: ConversionModel) -> DecodedMeaning? {
    model.meaning(window: window, fine: fineValue, coarse: coarseValue, conversionType: conversionType)
  }

  /// Tells if the value has the same meaning in both models, or is listed in neither.
  fileprivate func isSame(under one: ConversionModel, and other: ConversionModel) -> Bool {
    switch (meaning(under: one), meaning(under: other)) {
    case (nil, nil): true
    case (let left?, let right?):
      left.isSame(as: right) && one.currency == other.currency && one.revenueKind == other.revenueKind
        && isCumulative(in: one) == isCumulative(in: other)
    default: false
    }
  }
}

/// The decoded meaning of a postback's conversion value, with the certainty of the result.
@available(iOS 18.0, *)
public struct Decoding: Sendable {
  /// The outcome of decoding.
  public let status: DecodeStatus
  /// The interval of possible install dates.
  public let interval: InstallDateInterval
  /// The models that disagree, joined by `|`, the earliest first: `revenue@2|revenue@3`. A part of the interval without a model
  /// is `none` in its place: `none|revenue@1`, or `revenue@1|none`. Nil unless `ambiguous`.
  public let ambiguousModels: String?
  /// Indicates that the window's values include those of the windows before; nil unless `decoded`.
  ///
  /// Never add the counts and revenue of a cumulative window to those of earlier windows of the same users.
  public let isCumulative: Bool?
  private let modelInForce: ConversionModel?
  /// The meaning of the value; nil unless `decoded`.
  private let meaning: DecodedMeaning?

  fileprivate init(
    _ status: DecodeStatus,
    _ interval: InstallDateInterval,
    model: ConversionModel? = nil,
    meaning: DecodedMeaning? = nil,
    isCumulative: Bool? = nil,
    ambiguousModels: String? = nil
  ) {
    (self.status, self.interval, modelInForce) = (status, interval, model)
    (self.meaning, self.isCumulative, self.ambiguousModels) = (meaning, isCumulative, ambiguousModels)
  }

  /// The model in force; nil unless `decoded` or `unmapped`.
  public var model: ModelLabel? { modelInForce?.label }

  /// The events that the value stands for; empty unless `decoded`.
  public var events: [ModelEvent] { meaning?.events ?? [] }

  /// The total revenue of the events: zero where none has revenue; nil where the model has no currency, and unless
  /// `decoded`.
  public var revenue: Revenue? { meaning?.revenue }

  /// The currency of all revenue; nil unless `decoded`.
  public var currency: String? { meaning == nil ? nil : modelInForce?.currency }

  /// The source of the revenue; nil unless `decoded`.
  public var revenueKind: RevenueKind? { meaning == nil ? nil : modelInForce?.revenueKind }
}

/// The outcome of decoding a conversion value. The raw values stand in the tables.
public enum DecodeStatus: String, CaseIterable, Sendable {
  /// The model in force gives the value a meaning.
  case decoded
  /// The postback has no conversion value, which is not 0.
  case null
  /// The model in force does not list the value.
  case unmapped
  /// The app has no model for that install date.
  case noModel = "no_model"
  /// Models of the possible install dates disagree on the meaning, or some of the dates have no model.
  case ambiguous
  /// The ad did not win the attribution; such a postback is never valued.
  case notWon = "not_won"
}
