internal import ConversionModel
internal import JSON

/// The hours after the install in which a user was last active, as schemas bound them for a conversion value.
struct ActiveHours {
  /// The keys of the bounds in the form.
  let keys: (least: String, most: String)
  /// The hours from which on, and up to which, a bound says nothing new.
  let window: ClosedRange<Int>

  /// Returns the event that says the same in a model, whose count is the day of the last activity; nil where the hours say
  /// nothing new. Hours that are no days are lost, and so is the first day alone, because no count of a model is at most 0.
  func event(_ node: JSONNode, at place: String, _ reader: inout SchemaReader) -> DraftEvent? {
    let least = reader.integer(node[keys.least], in: 0...100_000).map(Int.init)
    let most = reader.integer(node[keys.most], in: 0...100_000).map(Int.init)
    guard let most else {
      if let least, least > window.lowerBound { lose(place, &reader) }
      return nil
    }
    guard least ?? 0 <= most else {
      reader.note(node[keys.least], "The value must be at most \(keys.most), which is \(most).")
      return nil
    }
    // Without a bound above 0 there is no statement: in the JSON form of protocol buffers 0 stands for an absent bound.
    if most == 0 || (least ?? 0) <= window.lowerBound && most >= window.upperBound { return nil }
    guard (least ?? 0) % 24 == 0, most % 24 == 0, least != most else {
      lose(place, &reader)
      return nil
    }
    let lastDay = most >= window.upperBound ? nil : most / 24 - 1
    guard lastDay != 0 else {
      reader.notes.lose(
        "\(keys.least), \(keys.most)",
        at: place,
        "A model has no value for activity on the first day only. A higher value with a later day in its hours still differs "
          + "from this one."
      )
      return nil
    }
    return DraftEvent(name: Activity.lastActiveDay, least: (least ?? 0) / 24, most: lastDay)
  }

  private func lose(_ place: String, _ reader: inout SchemaReader) {
    reader.notes.lose(
      "\(keys.least), \(keys.most)",
      at: place,
      "A model knows the day of the last activity, and no hours. Values that differ in hours only mean the same in it."
    )
  }
}
