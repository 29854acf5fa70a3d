internal import Base
internal import JSON

/// A parameter in the query of the request that delivered a postback, for the extras. It is not signed.
package struct QueryParameter {
  /// The prefix of the parameters' names; only `query`, the part that was not read, does without it.
  static let prefix = "query."

  /// The name, such as `query.campaign`.
  let name: String
  /// The values in order; several where the name occurs several times.
  private(set) var values: [String]

  /// The number of name–value pairs that are read; the rest of the query becomes one parameter `query`, as it came.
  private static let limit = 64

  /// The parameters of a query (the URL standard's `application/x-www-form-urlencoded`), in order of their first values.
  static func all(in query: ArraySlice<UInt8>) -> [QueryParameter] {
    var parameters: [QueryParameter] = []
    var rest = query
    for _ in 0..<limit where !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
      let pair = rest[..<end]
      rest = rest[min(end + 1, rest.endIndex)...]
      guard !pair.isEmpty else { continue }
      let nameEnd = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      let name = prefix + decoded(pair[..<nameEnd])
      let value = decoded(pair[min(nameEnd + 1, pair.endIndex)...])
      if let index = parameters.firstIndex(where: { $0.name == name }) {
        parameters[index].values.append(value)
      } else {
        parameters.append(QueryParameter(name: name, values: [value]))
      }
    }
    if !rest.isEmpty {
      parameters.append(QueryParameter(name: "query", values: [String(decoding: rest, as: UTF8.self)]))
    }
    return parameters
  }

  /// The decoded names and values of a query or a form-encoded text, in order. A name without `=` has the empty value.
  package static func pairs(in text: ArraySlice<UInt8>) -> [(name: String, value: String)] {
    text.split(separator: UInt8(ascii: "&")).map { pair in
      let nameEnd = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return (decoded(pair[..<nameEnd]), decoded(pair[min(nameEnd + 1, pair.endIndex)...]))
    }
  }

  /// Appends the value in JSON: a string, or an array of strings where there are several.
  func appendValues(to json: inout [UInt8]) {
    guard values.count > 1 else {
      json.appendJSONString(values.first ?? "")
      return
    }
    for (index, value) in values.enumerated() {
      json.append(UInt8(ascii: index == 0 ? "[" : ","))
      json.appendJSONString(value)
    }
    json.append(UInt8(ascii: "]"))
  }

  /// The text with its escapes decoded. It stays as it came where an escape is malformed, the result is not UTF-8, or
  /// an escape stands for U+0000, which ends strings in programs that read the tables.
  static func decoded(_ text: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    guard appendDecoded(text.span, to: &bytes) else { return String(decoding: text, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self) ?? String(decoding: text, as: UTF8.self)
  }

  /// Appends a name or a value with its escapes decoded: the one rule of all queries and forms. Returns false, with a part of
  /// the text appended, if a `%` is not followed by two hexadecimal digits, or stands for U+0000.
  package static func appendDecoded(_ text: Span<UInt8>, to bytes: inout [UInt8]) -> Bool {
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < text.count, let high = text[index + 1].hexadecimalValue,
          let low = text[index + 2].hexadecimalValue, high | low > 0
        else { return false }
        bytes.append(high << 4 | low)
        index += 2
      case let byte: bytes.append(byte)
      }
      index += 1
    }
    return true
  }
}
