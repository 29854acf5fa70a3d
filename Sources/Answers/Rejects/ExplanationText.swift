internal import Base
internal import JSON

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
  package var json: String {
    var text: [UInt8] = []
    for (index, section) in sections.enumerated() {
      text.append(contentsOf: (index == 0 ? "{" : ",").utf8)
      text.appendJSONString(section.title)
      if let json = section.json {
        text.append(UInt8(ascii: ":"))
        text += json
        continue
      }
      text.append(contentsOf: ":{".utf8)
      let names = section.facts.map(\.name)
      for (index, fact) in section.facts.enumerated() where names.firstIndex(of: fact.name) == index {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        let values = section.facts.filter { $0.name == fact.name }.map(\.value)
        text.appendJSONString(fact.name == "event" ? "events" : fact.name)
        text.append(UInt8(ascii: ":"))
        if fact.name == "event" {
          text.append(UInt8(ascii: "["))
          for (index, value) in values.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.appendJSONString(value)
          }
          text.append(UInt8(ascii: "]"))
        } else {
          text.appendJSONString(fact.value)
        }
      }
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }
}
