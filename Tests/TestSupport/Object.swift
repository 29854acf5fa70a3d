internal import JSON

/// A flat JSON object whose members can be changed. Values are JSON text.
package struct Object: Sendable {
  private var members: [(key: String, json: String)] = []

  package init(_ text: [UInt8]) {
    guard case .object(let parsed)? = try? JSONValue(parsing: text) else { fatalError("a fixture is not an object") }
    members = parsed.map { ($0.key, $0.value.description) }
  }

  package init(_ text: String) { self.init(Array(text.utf8)) }

  /// The objects of a JSON Lines text.
  package static func lines(_ text: [UInt8]) -> [Object] {
    text.split(separator: UInt8(ascii: "\n")).map { Object(Array($0)) }
  }

  /// The JSON text of a member. Setting nil removes it; a new member is added at the end.
  package subscript(key: String) -> String? {
    get { members.first { $0.key == key }?.json }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].json = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((key, value))
      case (nil, nil): break
      }
    }
  }

  /// The content of a member that is a string, or its JSON text.
  package func string(_ key: String) -> String? {
    guard let json = self[key] else { return nil }
    if case .string(let text)? = try? JSONValue(parsing: Array(json.utf8)) { return text }
    return json == "null" ? nil : json
  }

  package var keys: [String] { members.map(\.key) }

  package var text: String { "{" + members.map { "\(Self.quoted($0.key)):\($0.json)" }.joined(separator: ",") + "}" }

  /// A copy without a member.
  package func without(_ key: String) -> Object {
    var copy = self
    copy[key] = nil
    return copy
  }

  /// A copy with members set.
  package func with(_ changes: [String: String?]) -> Object {
    var copy = self
    for (key, value) in changes.sorted(by: { $0.key < $1.key }) { copy[key] = value }
    return copy
  }

  package static func quoted(_ text: String) -> String {
    var json: [UInt8] = []
    json.appendJSONString(text)
    return String(decoding: json, as: UTF8.self)
  }
}

extension Object {
  package var bytes: [UInt8] { Array(text.utf8) }
}
