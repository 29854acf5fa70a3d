extension JSONValue {
  /// Returns the value as JSON for people, indented by two blanks: an object or an array stands on one line if it fits
  /// in 120 characters, and the words of a longer array fill their lines.
  package var indented: String {
    var text = ""
    append(to: &text, indent: 0, used: 0, after: 0)
    return text
  }

  private static let width = 120

  /// The value on one line, with blanks between the tokens.
  private var line: String {
    switch self {
    case .array(let elements): "[" + elements.map(\.line).joined(separator: ", ") + "]"
    case .object(let members) where !members.isEmpty:
      "{ " + members.map { "\(JSONValue.string($0.key)): \($0.value.line)" }.joined(separator: ", ") + " }"
    default: description
    }
  }

  private var isScalar: Bool {
    switch self {
    case .array, .object: false
    case .null, .bool, .number, .string: true
    }
  }

  /// Appends the value. `used` characters of its line are taken before it, and `after` characters come behind it.
  private func append(to text: inout String, indent: Int, used: Int, after: Int) {
    let line = line
    if used + line.count + after <= Self.width { return text += line }
    let inner = String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch self {
    case .array(let elements) where elements.allSatisfy(\.isScalar):
      text += "[\n" + Self.filled(elements.map(\.line), inner) + end + "]"
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        text += (index == 0 ? "[\n" : ",\n") + inner
        element.append(to: &text, indent: indent + 2, used: inner.count, after: 1)
      }
      text += end + "]"
    case .object(let members):
      for (index, member) in members.enumerated() {
        let key = "\(JSONValue.string(member.key)): "
        text += (index == 0 ? "{\n" : ",\n") + inner + key
        member.value.append(to: &text, indent: indent + 2, used: inner.count + key.count, after: 1)
      }
      text += end + "}"
    case .null, .bool, .number, .string: text += line
    }
  }

  /// Returns words with commas between them, as many on a line as fit.
  private static func filled(_ words: [String], _ indent: String) -> String {
    var lines: [String] = []
    var line = indent
    for (index, word) in words.enumerated() {
      let item = index + 1 < words.count ? "\(word)," : word
      let isFirst = line.count == indent.count
      if !isFirst, line.count + 1 + item.count > width {
        lines.append(line)
        line = indent + item
      } else {
        line += isFirst ? item : " \(item)"
      }
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
