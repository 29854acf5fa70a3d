package import JSON

/// A property of a schema that the other form cannot say, or that the form leaves open.
package struct ExchangeNote: Equatable, Sendable {
  /// The property, by its name in the form that has it.
  package let what: String
  /// The consequence, as complete sentences.
  package let reason: String
  /// The windows and values concerned, in order; empty where the note is on the whole schema.
  package fileprivate(set) var places: [String]

  /// The note on one line: `conversion_event (window 0, value 34, NewDevice): A model marks no event.`
  package var text: String {
    let shown = places.prefix(3).joined(separator: "; ")
    let more = places.count > 3 ? "; and \(places.count - 3) more" : ""
    return what + (places.isEmpty ? "" : " (\(shown)\(more))") + ": \(reason)"
  }

  package var json: JSONValue {
    .object([
      .init("what", .string(what)), .init("reason", .string(reason)),
      .init("places", .texts(places)),
    ])
  }
}

/// The differences between a schema and what became of it in another form.
package struct ExchangeNotes: Sendable {
  /// The properties that the other form cannot say.
  package private(set) var lost: [ExchangeNote] = []
  /// The properties that the schema leaves open, with what was taken for them.
  package private(set) var assumed: [ExchangeNote] = []

  mutating func lose(_ what: String, at place: String = "", _ reason: String) {
    Self.add(what, place, reason, to: &lost)
  }

  /// Notes what was taken for a property.
  mutating func assume(_ what: String, at place: String = "", _ reason: String) {
    Self.add(what, place, reason, to: &assumed)
  }

  private static func add(_ what: String, _ place: String, _ reason: String, to notes: inout [ExchangeNote]) {
    let index = notes.firstIndex { $0.what == what && $0.reason == reason }
    guard let index else {
      return notes.append(ExchangeNote(what: what, reason: reason, places: place.isEmpty ? [] : [place]))
    }
    if !place.isEmpty, notes[index].places.last != place { notes[index].places.append(place) }
  }
}
