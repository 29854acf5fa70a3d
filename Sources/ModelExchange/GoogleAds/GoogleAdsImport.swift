internal import ConversionModel
internal import JSON

/// The resource `CustomerSkAdNetworkConversionValueSchema` of the Google Ads API, version 26, as its JSON.
///
/// Source: developers.google.com/google-ads/api/reference/rpc/v26/CustomerSkAdNetworkConversionValueSchema.
extension SchemaReader {
  /// Reads the model of a resource, or of its `schema` alone.
  mutating func googleAdsModel(_ root: JSONNode, _ choice: ImportChoice) -> DraftModel? {
    if root["resourceName"].isPresent {
      notes.lose("resourceName", "A model does not name an account of Google Ads.")
    }
    let schema = root["schema"].isPresent ? root["schema"] : root
    let keys = [
      "resourceName", "appId", "measurementWindowHours", "fineGrainedConversionValueMappings", "postbackMappings",
    ]
    guard isObject(schema, keys: keys, called: "a schema"), let appID = appID(schema["appId"]) else { return nil }
    if let chosen = choice.appID, chosen != appID {
      note(schema["appId"], "The schema is of app \(appID), and not of \(chosen).")
    }
    var model = DraftModel(appID: appID)
    let hours = integer(schema["measurementWindowHours"], in: 0...1440).map(Int.init)
    model.measurementHours = hours == 0 ? nil : hours
    var first = DraftWindow(0)
    // Without postbacks it is a schema of SKAdNetwork 3, whose one window ends with the measurement.
    let isOfThree = !schema["postbackMappings"].isPresent
    let end = isOfThree ? model.measurementHours ?? 24 : first.hours.upperBound
    for node in elements(schema["fineGrainedConversionValueMappings"], of: "mappings", optional: true) {
      let keys = ["fineGrainedConversionValue", "conversionValueMapping"]
      guard isObject(node, keys: keys, called: "a mapping") else { continue }
      // The JSON form of protocol buffers leaves out a value of 0.
      let value = integer(node[keys[0]], in: 0...63).map(Int.init) ?? 0
      let events = googleEvents(node[keys[1]], "window 0, value \(value)", 0...end, of: &model)
      if !first.add(events, fine: value) { note(node[keys[0]], "The schema has a meaning of value \(value) already.") }
    }
    model.windows = first.fine.isEmpty ? [] : [first]
    for node in elements(schema["postbackMappings"], of: "postbacks", optional: true) { addWindow(node, to: &model) }
    if model.windows.isEmpty, problems.isEmpty { note(schema, "The schema has no conversion value.") }
    return model
  }

  private mutating func addWindow(_ node: JSONNode, to model: inout DraftModel) {
    let (lockFine, lockCoarse, lockEvent) = (
      "lockWindowFineConversionValue", "lockWindowCoarseConversionValue", "lockWindowEvent"
    )
    let keys = ["postbackSequenceIndex", "coarseGrainedConversionValueMappings", lockFine, lockCoarse, lockEvent]
    guard isObject(node, keys: keys, called: "a postback") else { return }
    let number = Int(integer(node[keys[0]], in: 0...2) ?? 0)
    let at = model.windows.firstIndex { $0.index == number }
    var window = at.map { model.windows[$0] } ?? DraftWindow(number)
    if !window.coarse.isEmpty || at != nil && number > 0 {
      note(node[keys[0]], "An earlier postback has the same postbackSequenceIndex, \(number).")
    }
    let coarse = node[keys[1]]
    let names = CoarseValue.allCases.map { "\($0.rawValue)ConversionValueMapping" }
    if coarse.isPresent, isObject(coarse, keys: names, called: keys[1]) {
      for (value, name) in zip(CoarseValue.allCases, names) where coarse[name].isPresent {
        let place = "window \(number), \(value.rawValue)"
        _ = window.add(googleEvents(coarse[name], place, window.hours, of: &model), coarse: value)
      }
    }
    if node[lockFine].isPresent {
      window.lock = integer(node[lockFine], in: 0...63).map { .object([.init("fine_value", .integer($0))]) }
    } else if node[lockEvent].isPresent {
      window.lock = name(node[lockEvent]).map { .object([.init("event", .string($0))]) }
    } else if let text = node[lockCoarse].value?.text, let value = CoarseValue(rawValue: text.lowercased()) {
      window.lock = .object([.init("coarse_value", .string(value.rawValue))])
    } else if node[lockCoarse].isPresent {
      note(node[lockCoarse], mustBe: "LOW, MEDIUM or HIGH")
    }
    if let at { model.windows[at] = window } else { model.windows.append(window) }
  }

  /// Reads the events of a value.
  private mutating func googleEvents(
    _ node: JSONNode,
    _ place: String,
    _ hours: ClosedRange<Int>,
    of model: inout DraftModel
  ) -> [DraftEvent] {
    let active = ActiveHours(keys: ("minTimePostInstallHours", "maxTimePostInstallHours"), window: hours)
    let keys = [active.keys.least, active.keys.most, "mappedEvents"]
    guard node.isPresent, isObject(node, keys: keys, called: "a mapping") else { return [] }
    var events: [DraftEvent] = []
    for node in elements(node["mappedEvents"], of: "events", optional: true) {
      let keys = [
        "mappedEventName", "currencyCode", "eventRevenueRange", "eventRevenueValue", "eventOccurrenceRange",
        "eventCounter",
      ]
      guard isObject(node, keys: keys, called: "an event"), let name = name(node["mappedEventName"]) else { continue }
      var event = DraftEvent(name: name)
      readOccurrence(node, into: &event)
      event.revenue = googleRevenue(node, at: "\(place), \(name)")
      if event.revenue != nil {
        if let code = currency(node["currencyCode"]) {
          model.take(currency: code, of: node["currencyCode"], &self)
        } else if !node["currencyCode"].isPresent {
          note(node["currencyCode"], mustBe: "the currency of the revenue")
        }
      }
      events.append(event)
    }
    return events + (active.event(node, at: place, &self).map { [$0] } ?? [])
  }

  private mutating func readOccurrence(_ node: JSONNode, into event: inout DraftEvent) {
    let (range, counter) = (node["eventOccurrenceRange"], node["eventCounter"])
    if range.isPresent, counter.isPresent {
      note(counter, "An event has eventOccurrenceRange or eventCounter, and not both.")
    }
    if let exactly = count(counter) {
      if exactly == 0 { note(counter, mustBe: "more than 0, because the value has the event") }
      (event.least, event.most) = (exactly, exactly)
    }
    let keys = ["minEventCount", "maxEventCount"]
    guard range.isPresent, isObject(range, keys: keys, called: "eventOccurrenceRange") else { return }
    // A limit of 0 is unset.
    let (least, most) = (count(range[keys[0]]) ?? 0, count(range[keys[1]]) ?? 0)
    guard most > 0 else {
      event.least = max(least, 1)
      return
    }
    if most < least {
      note(range, "maxEventCount must be at least minEventCount, which is \(least), but it is \(most).")
    }
    (event.least, event.most) = (least, most)
  }

  private mutating func googleRevenue(_ node: JSONNode, at place: String) -> DraftRevenue? {
    let (range, value) = (node["eventRevenueRange"], node["eventRevenueValue"])
    if range.isPresent, value.isPresent {
      note(value, "An event has eventRevenueRange or eventRevenueValue, and not both.")
    }
    if value.isPresent { return amount(value, at: place).map { DraftRevenue(exactly: $0) } }
    let keys = ["minEventRevenue", "maxEventRevenue"]
    guard range.isPresent, isObject(range, keys: keys, called: "eventRevenueRange") else { return nil }
    let least = range[keys[0]].isPresent ? amount(range[keys[0]], at: place) : .zero
    let most = range[keys[1]].isPresent ? amount(range[keys[1]], at: place) : .zero
    guard let least, let most else { return nil }
    // A limit of 0 is unset.
    guard most > .zero else {
      guard least > .zero else { return nil }
      notes.assume("maxEventRevenue", at: place, "The revenue has no upper limit, and its estimate is minEventRevenue.")
      return DraftRevenue(from: least, toBelow: nil, value: least)
    }
    guard least <= most else {
      note(range, "maxEventRevenue must be at least minEventRevenue, which is \(least), but it is \(most).")
      return nil
    }
    if least < most {
      notes.assume("maxEventRevenue", at: place, "It is taken as the amount below which the range ends.")
    }
    return least == most ? DraftRevenue(exactly: least) : DraftRevenue(from: least, toBelow: most)
  }
}
