internal import Base
internal import ConversionModel
internal import JSON

/// The schema of AppsFlyer's "SKAN CV schema API for ad networks": `/api/skad/conversion_schema/v2` of SKAdNetwork 4, and `/v1`
/// of SKAdNetwork 3.
///
/// Source: `docs/apis/SKAD/skanv4api.yaml` in AppsFlyerKnowledge/devhub, as of 16 August 2026.
extension SchemaReader {
  /// Reads the models of a response, or of its `data` alone.
  mutating func appsFlyerModels(_ root: JSONNode, _ choice: ImportChoice) -> [DraftModel] {
    let data = root["data"].isPresent ? root["data"] : root
    let nodes = data.elements ?? [data]
    if nodes.isEmpty { note(data, "The array has no schema of an app.") }
    var models: [DraftModel] = []
    for node in nodes {
      let keys = [
        "app_id", "configuration_mode", "last_config_change", "measurement_window", "postbacks",
        "conversion_value_mapping",
      ]
      guard isObject(node, keys: keys, called: "an app's schema"), let appID = appID(node["app_id"]),
        choice.appID == nil || choice.appID == appID
      else { continue }
      if models.contains(where: { $0.appID == appID }) {
        note(node["app_id"], "An earlier schema is of the same app. Keep one.")
        continue
      }
      models.append(appsFlyerModel(of: appID, node, choice))
    }
    if models.isEmpty, problems.isEmpty { note(data, "There is no schema of app \(choice.appID ?? 0).") }
    return models
  }

  private mutating func appsFlyerModel(of appID: Int64, _ node: JSONNode, _ choice: ImportChoice) -> DraftModel {
    var model = DraftModel(appID: appID)
    if let mode = node["configuration_mode"].value?.text {
      notes.lose("configuration_mode", "A model does not say how AppsFlyer was configured (\(mode.quotedExcerpt)).")
    }
    model.start = appsFlyerTime(node["last_config_change"], choice)
    let hours = integer(node["measurement_window"], in: 1...1440).map(Int.init)
    model.measurementHours = hours
    let (postbacks, mapping) = (node["postbacks"], node["conversion_value_mapping"])
    guard postbacks.isPresent != mapping.isPresent else {
      note(
        postbacks.isPresent ? mapping : node,
        "A schema has either postbacks, of SKAdNetwork 4, or conversion_value_mapping, of SKAdNetwork 3."
      )
      return model
    }
    if mapping.isPresent {
      var window = DraftWindow(0)
      window.end = hours ?? 24
      for value in elements(mapping, of: "conversion values") {
        add(fine: value, to: &window, of: &model)
      }
      model.windows = [window]
    }
    for postback in postbacks.isPresent ? elements(postbacks, of: "postbacks") : [] {
      guard let window = appsFlyerWindow(postback, of: &model) else { continue }
      if model.windows.contains(where: { $0.index == window.index }) {
        note(postback["postback_sequence_index"], "An earlier postback has the same postback_sequence_index.")
      }
      model.windows.append(window)
    }
    return model
  }

  /// Reads a time such as `2022-11-07 09:32:07.362`, whose zone the documentation does not say; nil where there is none.
  private mutating func appsFlyerTime(_ node: JSONNode, _ choice: ImportChoice) -> Timestamp? {
    guard node.isPresent else { return nil }
    guard let text = node.value?.text, text.utf8.count > 10, let time = Timestamp(text.replacing(" ", with: "T") + "Z")
    else {
      note(node, mustBe: "a time such as \"2022-11-07 09:32:07.362\"")
      return nil
    }
    if choice.start == nil {
      notes.assume("last_config_change", "It is taken as UTC, and as the first install date of the model.")
    }
    return time
  }

  // MARK: - SKAdNetwork 4

  private mutating func appsFlyerWindow(_ node: JSONNode, of model: inout DraftModel) -> DraftWindow? {
    let keys = [
      "postback_sequence_index", "measurement_window", "lock_window_type", "lock_window_event",
      "conversion_value_mapping",
    ]
    guard isObject(node, keys: keys, called: "a postback"),
      let index = requiredInteger(node["postback_sequence_index"], in: 0...2)
    else { return nil }
    var window = DraftWindow(Int(index))
    if let end = integer(node["measurement_window"], in: 1...1440) { window.end = Int(end) }
    window.lock = appsFlyerLock(node, in: window)
    let mapping = node["conversion_value_mapping"]
    // The description declares an array of objects here, and its example has one object.
    for part in mapping.elements ?? [mapping] {
      guard isObject(part, keys: ["fine", "coarse"], called: "conversion_value_mapping") else { continue }
      for value in elements(part["fine"], of: "conversion values", optional: true) {
        guard index == 0 else {
          note(value, "Only the first postback has fine conversion values.")
          continue
        }
        add(fine: value, to: &window, of: &model)
      }
      for value in elements(part["coarse"], of: "conversion values", optional: true) {
        let node = value["conversion_value"]
        guard let coarse = node.value?.text.flatMap(CoarseValue.init) else {
          note(node, mustBe: "low, medium or high")
          continue
        }
        let events = appsFlyerEvents(value, "window \(index), \(coarse.rawValue)", window, of: &model)
        if !window.add(events, coarse: coarse) { note(node, "The window has a meaning of \(coarse.rawValue) already.") }
      }
    }
    return window
  }

  /// Reads the condition under which the app locks a window; nil where it does not.
  private mutating func appsFlyerLock(_ node: JSONNode, in window: DraftWindow) -> JSONValue? {
    let place = "window \(window.index)"
    let (type, event) = (node["lock_window_type"], node["lock_window_event"])
    var lock: JSONValue?
    switch type.value?.text {
    case "in-app": lock = name(event).map { .object([.init("event", .string($0))]) }
    case "high-coarse": lock = .object([.init("coarse_value", .string(CoarseValue.high.rawValue))])
    case "time", "other":
      lock = .bool(true)
      notes.lose(
        "lock_window_type \(type.value?.text ?? "")",
        at: place,
        "A model has no lock after a time, so \"lock_window\": true stands for it: install dates are intervals of days, and "
          + "model encode locks at the highest value."
      )
    case nil where !type.isPresent:
      if window.end < window.hours.upperBound {
        lock = .bool(true)
        notes.lose(
          "measurement_window \(window.end)",
          at: place,
          "A model has no shorter windows; \"lock_window\": true stands for it."
        )
      }
    default: note(type, mustBe: "in-app, time, high-coarse or other")
    }
    if event.isPresent, type.value?.text != "in-app" {
      notes.lose("lock_window_event", at: place, "The lock is not of the type in-app, so the event does not lock.")
    }
    return lock
  }

  // MARK: - Values and events

  private mutating func add(fine node: JSONNode, to window: inout DraftWindow, of model: inout DraftModel) {
    guard let value = requiredInteger(node["conversion_value"], in: 0...63) else { return }
    let events = appsFlyerEvents(node, "window 0, value \(value)", window, of: &model)
    if !window.add(events, fine: Int(value)) {
      note(node["conversion_value"], "The window has a meaning of value \(value) already.")
    }
  }

  /// Reads the events of a value.
  private mutating func appsFlyerEvents(
    _ node: JSONNode,
    _ place: String,
    _ window: DraftWindow,
    of model: inout DraftModel
  ) -> [DraftEvent] {
    let hours = ActiveHours(
      keys: ("min_time_post_install", "max_time_post_install"),
      window: min(window.hours.lowerBound, window.end)...window.end
    )
    let keys = ["conversion_value", "events", "measurement_window", hours.keys.least, hours.keys.most]
    guard isObject(node, keys: keys, called: "a conversion value") else { return [] }
    var events: [DraftEvent] = []
    for event in elements(node["events"], of: "events", optional: true) {
      if let event = appsFlyerEvent(event, at: place, of: &model) { events.append(event) }
    }
    return events + (hours.event(node, at: place, &self).map { [$0] } ?? [])
  }

  private mutating func appsFlyerEvent(_ node: JSONNode, at place: String, of model: inout DraftModel) -> DraftEvent? {
    let keys = [
      "event_name", "mapped_event_name", "event_counter", "min_event_counter", "max_event_counter", "conversion_event",
      "event_currency", "event_revenue", "min_event_revenue", "max_event_revenue", "event_revenue_usd",
    ]
    guard isObject(node, keys: keys, called: "an event"), let name = name(node["event_name"]) else { return nil }
    if let mapped = node["mapped_event_name"].value?.text, mapped != name {
      notes.lose(
        "mapped_event_name",
        at: "\(place), \(name)",
        "The model has the app's name; a partner's own name has no place."
      )
    }
    if node["conversion_event"].value == .bool(true) {
      notes.lose("conversion_event", at: "\(place), \(name)", "A model marks no event.")
    }
    var event = DraftEvent(name: name)
    readCount(node, into: &event)
    event.revenue = appsFlyerRevenue(node, at: "\(place), \(name)", of: &model)
    return event
  }

  private mutating func readCount(_ node: JSONNode, into event: inout DraftEvent) {
    let (leastNode, mostNode) = (node["min_event_counter"], node["max_event_counter"])
    let counter = count(node["event_counter"])
    guard leastNode.isPresent || mostNode.isPresent else {
      guard let counter else { return }
      if counter == 0 { note(node["event_counter"], mustBe: "more than 0, because the value has the event") }
      (event.least, event.most) = (counter, counter)
      return
    }
    guard leastNode.isPresent, mostNode.isPresent else {
      let missing = leastNode.isPresent ? mostNode : leastNode
      return note(missing, "A range needs both min_event_counter and max_event_counter.")
    }
    guard let least = count(leastNode), let most = count(mostNode) else { return }
    if most < max(least, 1) { note(mostNode, mustBe: "at least \(max(least, 1))") }
    if let counter, !(least...max(least, most)).contains(counter) {
      note(node["event_counter"], mustBe: "from min_event_counter to max_event_counter, which are \(least) and \(most)")
    }
    (event.least, event.most) = (least, most)
  }

  private mutating func appsFlyerRevenue(
    _ node: JSONNode,
    at place: String,
    of model: inout DraftModel
  ) -> DraftRevenue? {
    let (leastNode, mostNode) = (node["min_event_revenue"], node["max_event_revenue"])
    let stated = amount(node["event_revenue"], at: place)
    let inDollars = amount(node["event_revenue_usd"], at: place)
    let code = currency(node["event_currency"])
    guard leastNode.isPresent || mostNode.isPresent || node["event_revenue"].isPresent else {
      guard let inDollars else { return nil }
      model.take(currency: "USD", of: node["event_revenue_usd"], &self)
      return DraftRevenue(exactly: inDollars)
    }
    guard let code else {
      if !node["event_currency"].isPresent { note(node["event_currency"], mustBe: "the currency of the revenue") }
      return nil
    }
    model.take(currency: code, of: node["event_currency"], &self)
    if inDollars != nil, code != "USD" {
      notes.lose("event_revenue_usd", at: place, "A model has revenue in one currency, which is \(code) here.")
    }
    guard leastNode.isPresent || mostNode.isPresent else { return stated.map { DraftRevenue(exactly: $0) } }
    guard leastNode.isPresent, mostNode.isPresent else {
      note(leastNode.isPresent ? mostNode : leastNode, "A range needs both min_event_revenue and max_event_revenue.")
      return nil
    }
    guard let least = amount(leastNode, at: place), let most = amount(mostNode, at: place) else { return nil }
    guard least <= most else {
      note(mostNode, mustBe: "at least min_event_revenue, which is \(least)")
      return nil
    }
    let estimate = stated ?? (code == "USD" ? inDollars : nil)
    if let estimate, !(least...most).contains(estimate) {
      note(
        node[stated == nil ? "event_revenue_usd" : "event_revenue"],
        mustBe: "from min_event_revenue to max_event_revenue, which are \(least) and \(most)"
      )
    }
    return DraftRevenue(from: least, through: most, value: estimate)
  }
}
