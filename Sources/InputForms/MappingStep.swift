internal import Base
internal import JSON
internal import SKAdNetwork

/// A step from a record to the postback in it. A step finds nothing where its wrapper has another form.
enum MappingStep: Hashable, Sendable {
  /// The value at a place. A string that is JSON itself is opened on the way.
  case path(JSONPath)
  /// Base64 in either alphabet, unless the text begins as JSON does.
  case base64
  /// `%` and two hexadecimal digits, unless the text begins as JSON does.
  case percent
  /// `\x` and two hexadecimal digits, as nginx writes quotes in logs.
  case escapes
  /// The text from the first `{` to the last `}`.
  case object
  /// The query of a URL or of the first line of a request as an object of texts.
  case query

  /// The names of the steps besides paths.
  static let words: [(name: String, step: MappingStep)] = [
    ("base64", .base64), ("percent", .percent), ("escapes", .escapes), ("object", .object), ("query", .query),
  ]

  /// Parses a step; nil if it is none.
  init?(_ text: String) {
    guard let step = Self.words.first(where: { $0.name == text })?.step ?? JSONPath(text).map({ .path($0) }) else {
      return nil
    }
    self = step
  }

  /// Returns the text inside a text, for steps that are no paths; nil if there is none.
  func open(_ text: [UInt8]) -> [UInt8]? {
    switch self {
    case .path: nil
    case .base64: text.beginsAsJSON ? text : Base64.standard.decoded(text)
    case .percent: text.beginsAsJSON ? text : Self.decoded(text, mark: UInt8(ascii: "%"), letter: nil)
    case .escapes: Self.decoded(text, mark: UInt8(ascii: "\\"), letter: UInt8(ascii: "x"))
    case .object: Self.object(in: text)
    case .query: Self.query(of: text)
    }
  }

  /// Returns the text with each mark, the letter behind it and two hexadecimal digits decoded.
  private static func decoded(_ text: [UInt8], mark: UInt8, letter: UInt8?) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let digits = index + (letter == nil ? 1 : 2)
      if text[index] == mark, digits + 1 < text.count, letter == nil || text[index + 1] == letter,
        let high = text[digits].hexadecimalValue, let low = text[digits + 1].hexadecimalValue
      {
        decoded.append(high << 4 | low)
        index = digits + 2
      } else {
        decoded.append(text[index])
        index += 1
      }
    }
    return decoded
  }

  private static func object(in text: [UInt8]) -> [UInt8]? {
    guard let start = text.firstIndex(of: UInt8(ascii: "{")), let end = text.lastIndex(of: UInt8(ascii: "}")),
      start < end
    else { return nil }
    return Array(text[start...end])
  }

  /// Returns the parameters of a query as a JSON object of texts. Of a name that is there twice the first value counts.
  private static func query(of text: [UInt8]) -> [UInt8]? {
    let start = text.firstIndex(of: UInt8(ascii: "?")).map { $0 + 1 } ?? 0
    let query = text[start...].prefix { !$0.isWhitespace && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\"") }
    guard query.contains(UInt8(ascii: "=")) else { return nil }
    var names: Set<String> = []
    var json: [UInt8] = []
    for (name, value) in QueryParameter.pairs(in: query) where !name.isEmpty && names.insert(name).inserted {
      json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
      json.appendJSONString(name)
      json.append(UInt8(ascii: ":"))
      json.appendJSONString(value)
    }
    guard !json.isEmpty else { return nil }
    json.append(UInt8(ascii: "}"))
    return json
  }
}

extension [UInt8] {
  /// Indicates that the first byte that is not white space opens an object or an array.
  var beginsAsJSON: Bool {
    guard let first = first(where: { !$0.isWhitespace }) else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// The words of a line of a log: parted by spaces, and those in quotes or brackets without these.
  var words: [[UInt8]] {
    var words: [[UInt8]] = []
    var index = 0
    while index < count {
      let opening = self[index]
      if opening.isWhitespace {
        index += 1
        continue
      }
      let closing: UInt8? =
        switch opening {
        case UInt8(ascii: "\""): UInt8(ascii: "\"")
        case UInt8(ascii: "["): UInt8(ascii: "]")
        default: nil
        }
      let start = closing == nil ? index : index + 1
      var end = start
      while end < count, closing.map({ self[end] != $0 }) ?? !self[end].isWhitespace {
        end += closing != nil && self[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end = Swift.min(end, count)
      words.append(Array(self[start..<end]))
      index = end + (closing == nil ? 0 : 1)
    }
    return words
  }
}
