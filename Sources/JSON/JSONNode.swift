/// A value in a JSON text and its place there; the value is nil where a key is absent.
package struct JSONNode {
  package let value: JSONValue?
  /// The place as an RFC 6901 JSON pointer; empty for the whole text.
  package let pointer: String

  /// A value at a place; the pointer of the whole text is "".
  package init(value: JSONValue?, pointer: String) {
    self.value = value
    self.pointer = pointer
  }

  /// The member `key` of an object; its value is nil where the key is absent or this is no object.
  package subscript(key: String) -> JSONNode {
    guard case .object(let members) = value else { return child(key, nil) }
    return child(key, members.first { $0.key == key }?.value)
  }

  /// The keys and members of an object, in order; nil for anything else.
  package var members: [(key: String, node: JSONNode)]? {
    guard case .object(let members) = value else { return nil }
    return members.map { ($0.key, child($0.key, $0.value)) }
  }

  /// The elements of an array; nil for anything else.
  package var elements: [JSONNode]? {
    guard case .array(let elements) = value else { return nil }
    return elements.enumerated().map { child(String($0.offset), $0.element) }
  }

  private func child(_ token: String, _ value: JSONValue?) -> JSONNode {
    var pointer = pointer + "/"
    for character in token.unicodeScalars {
      switch character {
      case "~": pointer += "~0"
      case "/": pointer += "~1"
      default: pointer.unicodeScalars.append(character)
      }
    }
    return JSONNode(value: value, pointer: pointer)
  }
}
