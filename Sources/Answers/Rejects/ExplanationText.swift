internal import Base
package import JSON

extension Explanation {
  /// The explanation as text, section by section, with one fact on each line. Control characters are escaped, because bodies may
  /// be hostile.
  package var text: String {
    let width = sections.flatMap { $0.facts.map(\.name.count) }.max() ?? 0
    return sections.map { section in
      let lines = section.facts.map { name, value in
        "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(value.withControlCharactersEscaped)"
      }
      return ([section.title] + lines).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// The explanation as one JSON object with a member for each section. Events are an array; a diagnosis follows its own
  /// schema.
  package var json: JSONValue {
    .object(sections.map { .init($0.title, $0.json ?? .object($0.members)) })
  }
}

extension Explanation.Section {
  /// The facts as members of an object: the first one with each name, and events as an array of all.
  fileprivate var members: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for (name, value) in facts {
      let key = name == "event" ? "events" : name
      guard !members.contains(where: { $0.key == key }) else { continue }
      let events = facts.filter { $0.name == "event" }.map(\.value)
      members.append(.init(key, name == "event" ? .texts(events) : .string(value)))
    }
    return members
  }
}
