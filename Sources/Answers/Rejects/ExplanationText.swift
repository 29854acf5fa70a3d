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
  package var json: JSONValue { .object(sections.map { .init($0.title, $0.json ?? .object($0.members)) }) }
}

extension Explanation.Section {
  fileprivate var members: [JSONValue.Member] {
    let names = facts.map(\.name)
    return facts.enumerated().filter { names.firstIndex(of: $1.name) == $0 }.map { _, fact in
      guard fact.name == "event" else { return .init(fact.name, .string(fact.value)) }
      return .init("events", .texts(facts.filter { $0.name == "event" }.map(\.value)))
    }
  }
}
