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
    let models = models(for: conversion.appID)
    let interval = Self.interval(for: conversion, under: models)
    guard conversion.won else { return Decoding(.notWon, interval) }
    guard conversion.fineValue != nil || conversion.coarseValue != nil else { return Decoding(.null, interval) }

    let candidates = models.drop { !interval.meets($0.span) }.prefix { interval.meets($0.span) }
    guard let first = candidates.first else { return Decoding(.noModel, interval) }
    let hasGap = Self.hasGap(interval, between: candidates)
    guard !hasGap, candidates.dropFirst().allSatisfy({ conversion.isSame(under: $0, and: first) }) else {
      let names = Self.names(of: candidates, in: interval)
      return Decoding(.ambiguous, interval, ambiguousModels: names.joined(separator: "|"))
    }
    let date = interval.estimated ?? interval.latest
    let model = date.flatMap { date in candidates.first { $0.span.contains(date) } } ?? first
    guard let meaning = conversion.meaning(under: model) else {
      return Decoding(.unmapped, interval, model: model)
    }
    return Decoding(meaning, isCumulative: conversion.isCumulative(in: model), in: model, interval)
  }

  /// The widest install-date interval under any model that may have been in force. It is wider where the app may lock
  /// the window, takes part in re-engagement or measures for longer.
  private static func interval(
    for conversion: ReceivedConversion,
    under models: [ConversionModel]
  ) -> InstallDateInterval {
    guard !conversion.isDevelopment else { return .development(receivedAt: conversion.receivedAt) }
    func interval(locksWindow: Bool = false, measurementHours: Int = 24) -> InstallDateInterval {
      InstallDateInterval(
        receivedAt: conversion.receivedAt,
        family: conversion.family,
        window: conversion.window,
        conversionValueIsNullOrZero: conversion.fineValue ?? 0 == 0,
        locksWindow: locksWindow,
        measurementHours: measurementHours
      )
    }
    switch conversion.family {
    case .skadnetwork4, .adAttributionKit:
      let early = interval(locksWindow: true)
      var mayEndEarly: Bool?
      for model in models where early.meets(model.span) {
        mayEndEarly = mayEndEarly == true || conversion.mayEndEarly(under: model)
      }
      // Without a model the app may take part in re-engagement.
      return mayEndEarly ?? (conversion.family == .adAttributionKit) ? early : interval()
    case .skadnetwork3OrEarlier:
      var longest: Int?
      for model in models where interval(measurementHours: model.measurementHours).meets(model.span) {
        longest = max(longest ?? 0, model.measurementHours)
      }
      return longest.map { interval(measurementHours: $0) } ?? interval()
    }
  }

  /// The names of the models that meet the interval, in the order of time, with `none` for each part of it between them that
  /// has no model.
  private static func names(of models: ArraySlice<ConversionModel>, in interval: InstallDateInterval) -> [String] {
    guard let latest = interval.latest, let first = models.first, let last = models.last else {
      return models.map(\.label.description)
    }
    var names = interval.earliest.map(first.span.begins(by:)) ?? true ? [] : ["none"]
    for (model, next) in zip(models, models.dropFirst()) {
      names += [model.label.description] + (model.span.end == next.span.start ? [] : ["none"])
    }
    return names + [last.label.description] + (last.span.ends(by: latest) ? ["none"] : [])
  }

  /// Tells if part of the interval has no model; `models` are those that meet it.
  private static func hasGap(_ interval: InstallDateInterval, between models: ArraySlice<ConversionModel>) -> Bool {
    guard let latest = interval.latest else { return false }
    guard let first = models.first, let last = models.last else { return true }
    return !(interval.earliest.map(first.span.begins(by:)) ?? true) || last.span.ends(by: latest)
      || zip(models, models.dropFirst()).contains { $0.span.end != $1.span.start }
  }
}

@available(iOS 18.0, *)
extension ReceivedConversion {
  /// Tells if the window may have ended early where that model is in force.
  fileprivate func mayEndEarly(under model: ConversionModel) -> Bool {
    if let index = model.windowIndex(window, conversionType), model.windows[index].isLockedEarly { return true }
    // A re-engagement proves that the app takes part, whatever the model states.
    return family == .adAttributionKit && (model.takesPartInReengagement || conversionType == .reEngagement)
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

  /// A result without a meaning, for every status but `decoded`.
  init(
    _ status: DecodeStatus,
    _ interval: InstallDateInterval,
    model: ConversionModel? = nil,
    ambiguousModels: String? = nil
  ) {
    self.status = status
    self.interval = interval
    self.ambiguousModels = ambiguousModels
    isCumulative = nil
    modelInForce = model
    meaning = nil
  }

  /// A `decoded` result: the value means `meaning` in `model`.
  init(_ meaning: DecodedMeaning, isCumulative: Bool, in model: ConversionModel, _ interval: InstallDateInterval) {
    status = .decoded
    self.interval = interval
    ambiguousModels = nil
    self.isCumulative = isCumulative
    modelInForce = model
    self.meaning = meaning
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
