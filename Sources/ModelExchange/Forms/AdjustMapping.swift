internal import Base
internal import ConversionModel
internal import JSON

/// The mapping of Adjust's API for partners: `/skadnetwork/{token}/mapping/{app}` of SKAdNetwork 3, and
/// `/skadnetwork/v4/{token}/mapping/{app}` of SKAdNetwork 4, which answers in the form of 3 for apps without 4.
///
/// Sources: help.adjust.com, "SKAN v3 mapping API" and "SKAN v4 mapping API".
extension SchemaReader {
  /// Reads the model of a response.
  mutating func adjustModel(_ root: JSONNode, _ choice: ImportChoice) -> DraftModel? {
    root.elements == nil ? adjustModelOfThree(root, choice) : adjustModelOfFour(root, choice)
  }

  private mutating func adjustModelOfThree(_ root: JSONNode, _ choice: ImportChoice) -> DraftModel? {
    let keys = ["app_store_id", "updated_at", "cut_off_period", "reporting_currency", "conversion_values"]
    guard isObject(root, keys: keys, called: "a mapping"), let appID = appID(root["app_store_id"]) else { return nil }
    if let chosen = choice.appID, chosen != appID {
      note(root["app_store_id"], "The mapping is of app \(appID), and not of \(chosen).")
    }
    var model = DraftModel(appID: appID)
    if let seconds = integer(root["updated_at"], in: 0...253_402_300_799) {
      model.start = Timestamp(milliseconds: seconds * 1000)
      if choice.start == nil { notes.assume("updated_at", "It is taken as the first install date of the model.") }
    }
    model.measurementHours = integer(root["cut_off_period"], in: 1...1440).map(Int.init)
    model.statedCurrency = choice.currency ?? currency(root["reporting_currency"])
    model.currencyNode = root["reporting_currency"]
    var window = DraftWindow(0)
    for value in elements(root["conversion_values"], of: "conversion values") {
      add(adjust: value, to: &window, of: &model)
    }
    model.windows = [window]
    return model
  }

  private mutating func adjustModelOfFour(_ root: JSONNode, _ choice: ImportChoice) -> DraftModel? {
    guard let appID = choice.appID else {
      note(root, "This form does not say of which app it is. Give --app.")
      return nil
    }
    var model = DraftModel(appID: appID)
    model.statedCurrency = choice.currency
    for node in elements(root, of: "conversion windows") {
      guard isObject(node, keys: ["data", "conversion_window"], called: "a conversion window"),
        let number = requiredInteger(node["conversion_window"], in: 1...3)
      else { continue }
      var window = DraftWindow(Int(number) - 1)
      let data = node["data"]
      guard isObject(data, keys: ["fine", "coarse", "settings"], called: "data") else { continue }
      for value in elements(data["fine"], of: "conversion values", optional: true) {
        if number > 1 { note(value, "Only the first window has fine conversion values.") }
        add(adjust: value, to: &window, of: &model)
      }
      for value in elements(data["coarse"], of: "conversion values", optional: true) {
        add(coarse: value, to: &window, of: &model)
      }
      for (key, setting) in data["settings"].members ?? [] where setting.isPresent {
        notes.lose(
          key,
          at: "window \(window.index)",
          "The published description of the settings is incomplete, so they are not read. If this one locks the "
            + "window early, add lock_window to the model."
        )
      }
      if model.windows.contains(where: { $0.index == window.index }) {
        note(node["conversion_window"], "An earlier element has the same conversion_window.")
      }
      model.windows.append(window)
    }
    return model
  }

  private mutating func add(adjust node: JSONNode, to window: inout DraftWindow, of model: inout DraftModel) {
    guard let value = requiredInteger(node["conversion_value"], in: 0...63) else { return }
    let events = adjustEvents(node, at: "window \(window.index), value \(value)", of: &model)
    if !window.add(events, fine: Int(value)) {
      note(node["conversion_value"], "The window has a meaning of value \(value) already.")
    }
  }

  private mutating func add(coarse node: JSONNode, to window: inout DraftWindow, of model: inout DraftModel) {
    guard let value = node["conversion_value"].value?.text.flatMap(CoarseValue.init) else {
      return note(node["conversion_value"], mustBe: "low, medium or high")
    }
    let events = adjustEvents(node, at: "window \(window.index), \(value.rawValue)", of: &model)
    if !window.add(events, coarse: value) {
      note(node["conversion_value"], "The window has a meaning of \(value.rawValue) already.")
    }
  }

  /// Reads the events of a value.
  private mutating func adjustEvents(_ node: JSONNode, at place: String, of model: inout DraftModel) -> [DraftEvent] {
    guard isObject(node, keys: ["conversion_value", "events"], called: "a conversion value") else { return [] }
    var events: [DraftEvent] = []
    for node in elements(node["events"], of: "events") {
      let keys = ["event_name", "count_min", "count_max", "revenue_min", "revenue_max"]
      guard isObject(node, keys: keys, called: "an event"), let name = name(node["event_name"]) else { continue }
      var event = DraftEvent(name: name)
      let (least, most) = (count(node["count_min"]), count(node["count_max"]))
      event.least = least ?? 1
      event.most = most
      if let most, most < max(event.least, 1) { note(node["count_max"], mustBe: "at least \(max(event.least, 1))") }
      if least == nil || most == nil {
        notes.assume(
          "count_min, count_max",
          at: "\(place), \(name)",
          "A count that is absent means 1, or no upper limit."
        )
      }
      event.revenue = adjustRevenue(node, at: "\(place), \(name)")
      if event.revenue != nil {
        let currencyNode = model.currencyNode ?? node
        if let currency = model.statedCurrency {
          model.take(currency: currency, of: currencyNode, &self)
        } else {
          note(currencyNode, "The form does not say the currency of its revenue. Give --currency.")
        }
      }
      events.append(event)
    }
    return events
  }

  private mutating func adjustRevenue(_ node: JSONNode, at place: String) -> DraftRevenue? {
    let (leastNode, mostNode) = (node["revenue_min"], node["revenue_max"])
    guard leastNode.isPresent || mostNode.isPresent else { return nil }
    let least = leastNode.isPresent ? amount(leastNode, at: place) : .zero
    guard let least else { return nil }
    guard mostNode.isPresent else {
      notes.assume("revenue_max", at: place, "The revenue has no upper limit, and its estimate is revenue_min.")
      return DraftRevenue(from: least, toBelow: nil, value: least)
    }
    guard let most = amount(mostNode, at: place) else { return nil }
    guard least <= most else {
      note(mostNode, mustBe: "at least revenue_min, which is \(least)")
      return nil
    }
    if !leastNode.isPresent { notes.assume("revenue_min", at: place, "A limit that is absent means 0.") }
    if least < most {
      notes.assume("revenue_max", at: place, "It is taken as the amount below which the range ends.")
    }
    return least == most ? DraftRevenue(exactly: least) : DraftRevenue(from: least, toBelow: most)
  }
}
