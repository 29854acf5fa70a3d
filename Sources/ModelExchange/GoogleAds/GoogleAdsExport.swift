package import ConversionModel
package import JSON

/// A model as `CustomerSkAdNetworkConversionValueSchema` of the Google Ads API, version 26, and what that form cannot say.
///
/// The service `CustomerSkAdNetworkConversionValueSchemaService` takes it, as the `update` of its operation.
package struct GoogleAdsExport {
  /// The version of the API in whose form the resource is.
  package static let apiVersion = "v26"

  package let resource: JSONValue
  /// The properties of the model that are lost.
  package private(set) var notes = ExchangeNotes()

  /// A reason for which a model has no such form.
  package struct Refusal: Error, CustomStringConvertible {
    /// The reason and the correction, as complete sentences.
    package let description: String
  }

  /// Writes a model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - eventNames: Google's names of events, by those of the model; others keep the model's.
  ///   - resourceName: The name of the resource; nil leaves it out.
  /// - Throws: A reason, where the result would be wrong.
  package init(
    _ model: ConversionModel,
    eventNames: [String: String] = [:],
    resourceName: String? = nil
  ) throws(Refusal) {
    guard model.appID > 0 else {
      throw Refusal(
        description: "A model of app 0 is for test postbacks. Google Ads has no app without an App Store id."
      )
    }
    var writer = GoogleAdsWriter(model: model, eventNames: eventNames)
    let schema = writer.schema()
    guard writer.hasWindows else {
      throw Refusal(description: "The model has no window for installs, and SKAdNetwork knows installs only.")
    }
    notes = writer.notes
    let name = resourceName.map { [JSONValue.Member("resourceName", .string($0))] } ?? []
    resource = .object(name + [.init("schema", schema)])
  }
}

/// Writes the schema of a model.
private struct GoogleAdsWriter {
  let model: ConversionModel
  let eventNames: [String: String]
  var notes = ExchangeNotes()

  /// Indicates that the model has a window that SKAdNetwork can have.
  var hasWindows: Bool { windows.contains { $0 != nil } }

  private var windows: [ModelWindow?] { (0...2).map { model.window($0, .install) } }

  mutating func schema() -> JSONValue {
    losePropertiesOfModel()
    var fine: [JSONValue] = []
    var postbacks: [JSONValue] = []
    for (index, window) in windows.enumerated() {
      guard let window else { continue }
      for value in window.fineValues {
        guard let meaning = window.meaning(fine: value) else { continue }
        fine.append(
          .object([
            .init("fineGrainedConversionValue", .integer(value)),
            .init("conversionValueMapping", mapping(meaning, "window \(index), value \(value)", of: index)),
          ])
        )
      }
      postbacks.append(postback(window, index))
    }
    return .object([
      .init("appId", .string("\(model.appID)")),
      .init("measurementWindowHours", .integer(model.measurementHours)),
      .init("fineGrainedConversionValueMappings", .array(fine)),
      .init("postbackMappings", .array(postbacks)),
    ])
  }

  private mutating func losePropertiesOfModel() {
    notes.lose("model_id, version", "The form has no name and no version of a schema (\(model.label)).")
    if model.span.start != nil || model.span.end != nil {
      notes.lose(
        "effective_from, effective_to",
        "The form has no dates (\(model.span)). Upload it when the model begins."
      )
    }
    if model.revenueKind != .all {
      notes.lose("revenue_kind", "The form does not say that all revenue is of the kind \(model.revenueKind.rawValue).")
    }
    if model.bundleID != nil { notes.lose("bundle_id", "The form has the App Store id only.") }
    for window in model.windows {
      let place = window.conversionType.map { "window \(window.postbackSequenceIndex) (\($0.rawValue))" }
      if let place, window.conversionType == .reEngagement {
        notes.lose("windows", at: place, "The form is of SKAdNetwork, which has installs only.")
      } else if window.isCumulative {
        notes.lose(
          "cumulative",
          at: "window \(window.postbackSequenceIndex)",
          "The form does not say that values include the windows before."
        )
      }
    }
  }

  private mutating func postback(_ window: ModelWindow, _ index: Int) -> JSONValue {
    var members: [JSONValue.Member] = [.init("postbackSequenceIndex", .integer(index))]
    var coarse: [JSONValue.Member] = []
    for value in CoarseValue.allCases {
      guard let meaning = window.meaning(coarse: value) else { continue }
      let place = "window \(index), \(value.rawValue)"
      coarse.append(.init("\(value.rawValue)ConversionValueMapping", mapping(meaning, place, of: index)))
    }
    members.append(.init("coarseGrainedConversionValueMappings", .object(coarse)))
    if let lock = lock(window) { members.append(lock) }
    return .object(members)
  }

  private func lock(_ window: ModelWindow) -> JSONValue.Member? {
    func coarse(_ value: CoarseValue) -> JSONValue.Member {
      .init("lockWindowCoarseConversionValue", .string(value.rawValue.uppercased()))
    }
    switch window.lockRule {
    case .never: return nil
    case .fineValue(let value): return .init("lockWindowFineConversionValue", .integer(value))
    case .coarseValue(let value): return coarse(value)
    case .event(let name): return .init("lockWindowEvent", .string(eventNames[name] ?? name))
    case .highestValue:
      if let value = window.fineValues.last { return .init("lockWindowFineConversionValue", .integer(value)) }
      return CoarseValue.allCases.last { window.meaning(coarse: $0) != nil }.map(coarse)
    }
  }

  // MARK: - Meanings

  /// The mapping of a value. The day of the last activity becomes the hours that the form has for it.
  private mutating func mapping(_ meaning: DecodedMeaning, _ place: String, of index: Int) -> JSONValue {
    var hours = DraftWindow.hours(of: index)
    for event in meaning.events where event.name == Activity.lastActiveDay {
      let end = event.maximumCount.map { min(24 * ($0 + 1), 1_000_000) }
      hours = 24 * event.minimumCount...max(end ?? hours.upperBound, 24 * event.minimumCount)
    }
    let events = meaning.events.filter { $0.name != Activity.lastActiveDay }
    var mapped: [JSONValue] = []
    for event in events {
      if let event = json(of: event, "\(place), \(event.name)") { mapped.append(event) }
    }
    return .object([
      .init("minTimePostInstallHours", .string("\(hours.lowerBound)")),
      .init("maxTimePostInstallHours", .string("\(hours.upperBound)")),
      .init("mappedEvents", .array(mapped)),
    ])
  }

  /// The event of a value; nil where the form would say that it happened, and the model does not.
  private mutating func json(of event: ModelEvent, _ place: String) -> JSONValue? {
    let mayBeAbsent = event.minimumCount == 0 && event.maximumCount == nil
    if mayBeAbsent, event.revenue.map({ $0.estimate == .zero }) ?? true {
      notes.lose(
        "an event that may not have happened",
        at: place,
        "The form says of each event that it happened, so the value has none."
      )
      return nil
    }
    var members: [JSONValue.Member] = [.init("mappedEventName", .string(eventNames[event.name] ?? event.name))]
    if let revenue = event.revenue { members += self.members(of: revenue, place) }
    switch (event.minimumCount, event.maximumCount) {
    case (let least, let most?) where least == most: members.append(.init("eventCounter", .string("\(most)")))
    case (let least, let most?): members.append(occurrence([("minEventCount", least), ("maxEventCount", most)]))
    case (0, nil):
      notes.lose("min_count 0", at: place, "A count without any limit has no form. It says that the event happened.")
    case (1, nil): break
    case (let least, nil): members.append(occurrence([("minEventCount", least)]))
    }
    return .object(members)
  }

  private func occurrence(_ limits: [(key: String, count: Int)]) -> JSONValue.Member {
    .init("eventOccurrenceRange", .object(limits.map { .init($0.key, .string("\($0.count)")) }))
  }

  /// The revenue of an event. A range has no key for a limit that is open, because a limit of 0 or without a key is unset.
  private mutating func members(of revenue: Revenue, _ place: String) -> [JSONValue.Member] {
    let currency = model.currency.map { [JSONValue.Member("currencyCode", .string($0))] } ?? []
    let (minimum, maximum) = (revenue.minimum, revenue.maximum)
    if maximum == nil, minimum == .zero {
      notes.lose(
        "max_revenue null",
        at: place,
        "Revenue without any limit has no form. It is the estimate, an exact amount."
      )
      return currency + [.init("eventRevenueValue", .number(revenue.estimate.description))]
    }
    if minimum == maximum { return currency + [.init("eventRevenueValue", .number(minimum.description))] }
    if revenue.estimate != maximum.map({ .midpoint(minimum, $0) }) ?? minimum {
      notes.lose("value", at: place, "The form has the range, and not the estimate in it (\(revenue.estimate)).")
    }
    var range: [JSONValue.Member] = [.init("minEventRevenue", .number(minimum.description))]
    if let maximum { range.append(.init("maxEventRevenue", .number(maximum.description))) }
    return currency + [.init("eventRevenueRange", .object(range))]
  }
}
