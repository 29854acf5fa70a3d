internal import JSON

/// The body of a POST as JSON: all values of a delivery, or a partner's own object with macros in its strings.
indirect enum BodyTemplate: Hashable, Sendable {
  /// An object with each value under the name of its macro. Values that are missing are left out.
  case wholeObject
  case text(Template)
  case literal(String)
  case array([BodyTemplate])
  case object([Member])

  /// A member of an object.
  struct Member: Hashable, Sendable {
    let key: String
    let value: BodyTemplate
  }

  /// Makes the template of a JSON value, and calls `note` with each string that is no template.
  init(_ node: JSONNode, _ note: (JSONNode, Template.Problem) -> Void) {
    switch node.value {
    case .string(let text):
      do throws(Template.Problem) { self = .text(try Template(text)) } catch {
        note(node, error)
        self = .literal("null")
      }
    case .object:
      self = .object((node.members ?? []).map { Member(key: $0.key, value: BodyTemplate($0.node, note)) })
    case .array: self = .array((node.elements ?? []).map { BodyTemplate($0, note) })
    case let value?: self = .literal(value.description)
    case nil: self = .literal("null")
    }
  }

  /// The macros in the body.
  var macros: Set<TemplatePlaceholder> {
    switch self {
    case .wholeObject: Set(TemplatePlaceholder.ofWholeBody)
    case .text(let template): template.macros
    case .literal: []
    case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.macros) }
    case .object(let members): members.reduce(into: []) { $0.formUnion($1.value.macros) }
    }
  }

  /// Returns the JSON text with the values. A string that is one macro becomes its value: a number or a Boolean without
  /// quotes, null if there is none.
  func expanded(_ values: PlaceholderValues) -> [UInt8] {
    var json: [UInt8] = []
    append(to: &json, values)
    return json
  }

  private func append(to json: inout [UInt8], _ values: PlaceholderValues) {
    switch self {
    case .literal(let text): json += text.utf8
    case .text(let template):
      if let macro = template.onlyMacro {
        Self.append(macro.value(values), to: &json)
      } else {
        json.appendJSONString(template.expanded(values))
      }
    case .array(let elements):
      json.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        element.append(to: &json, values)
      }
      json.append(UInt8(ascii: "]"))
    case .object(let members):
      Self.appendObject(members.map { ($0.key, $0.value) }, to: &json) { $1.append(to: &$0, values) }
    case .wholeObject:
      let present = TemplatePlaceholder.ofWholeBody.compactMap { macro in
        values.values[macro].map { (macro.rawValue, $0) }
      }
      Self.appendObject(present, to: &json) { json, value in
        if case .boolean(let isTrue) = value, values.booleans == .digits {
          json.append(UInt8(ascii: isTrue ? "1" : "0"))
        } else {
          Self.append(value, to: &json)
        }
      }
    }
  }

  private static func appendObject<Value>(
    _ members: [(key: String, value: Value)],
    to json: inout [UInt8],
    _ append: (inout [UInt8], Value) -> Void
  ) {
    json.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json.appendJSONString(member.key)
      json.append(UInt8(ascii: ":"))
      append(&json, member.value)
    }
    json.append(UInt8(ascii: "}"))
  }

  private static func append(_ value: PlaceholderValue?, to json: inout [UInt8]) {
    switch value {
    case nil: json += "null".utf8
    case .text(let text): json.appendJSONString(text)
    case .number(let text): json += text.utf8
    case .boolean(let value): json += "\(value)".utf8
    }
  }
}
