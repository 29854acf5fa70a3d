internal import JSON

/// The elements of a JSON array, found one after the other without memory for them. Each is parsed only when its turn comes.
///
/// Commas and brackets outside of strings decide where an element ends. A text that is no JSON has at least one element
/// that is none, or no end.
struct SessionEventList {
  private let text: [UInt8]
  private var position: Int
  private var isAtEnd = false

  /// Begins with the first element of an array.
  init(_ text: [UInt8]) throws(JSONDefect) {
    self.text = text
    position = 0
    position = skippingSpace(from: 0)
    guard position < text.count, text[position] == UInt8(ascii: "[") else {
      throw .notJSON("The text is not an array.")
    }
    position = skippingSpace(from: position + 1)
    if position < text.count, text[position] == UInt8(ascii: "]") { try end() }
  }

  /// Returns the number of elements from here to the end, at most `limit + 1`.
  func count(upTo limit: Int) throws(JSONDefect) -> Int {
    var rest = self
    var count = 0
    while count <= limit, try rest.next() != nil { count += 1 }
    return count
  }

  /// Returns the text of the next element; nil at the end of the array, after which only white space may follow.
  mutating func next() throws(JSONDefect) -> ArraySlice<UInt8>? {
    if isAtEnd { return nil }
    let start = position
    var (depth, isInString) = (0, false)
    while position < text.count {
      let byte = text[position]
      if isInString {
        if byte == UInt8(ascii: "\\") { position += 1 }
        isInString = byte != UInt8(ascii: "\"")
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: ",") where depth == 0:
          defer { position += 1 }
          return text[start..<position]
        case UInt8(ascii: "]") where depth == 0:
          let element = text[start..<position]
          try end()
          return element
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
      }
      position += 1
    }
    throw .notJSON("The text is not an array.")
  }

  private mutating func end() throws(JSONDefect) {
    guard skippingSpace(from: position + 1) == text.count else { throw .notJSON("The text is not an array.") }
    isAtEnd = true
  }

  private func skippingSpace(from start: Int) -> Int {
    text[start...].firstIndex { $0 != 0x20 && !(0x09...0x0A).contains($0) && $0 != 0x0D } ?? text.count
  }
}

/// An element of the array of events. Its members are read only once its key is known to be accepted.
struct SessionEvent {
  /// The kind of an element, by its JSON type and its SDK key.
  enum Kind {
    /// An object with an accepted key.
    case known
    /// An object without one.
    case unknown
    /// Another value than an object.
    case notAnObject
  }

  /// The kind of the element.
  let kind: Kind
  private let text: [UInt8]

  /// Checks the syntax of an element, and its key `a`; without `sdkKeys` every key is accepted.
  init(
    _ element: ArraySlice<UInt8>,
    sdkKeys: Set<String>?,
    _ parser: inout JSONParser,
    _ document: inout JSONDocument
  ) throws(JSONDefect) {
    text = Array(element)
    var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
    try parser.parse(0..<text.count, of: &bytes, into: &document)
    guard document.root.kind == .object else {
      kind = .notAnObject
      return
    }
    guard let sdkKeys else {
      kind = .known
      return
    }
    let key = document.members.last { member in
      member.value.kind != .null && member.key.text.count == 1
        && bytes[Int(member.key.text.start)] | 0x20 == UInt8(ascii: "a")
    }
    let name = key.map { String(decoding: bytes[$0.value.text.indices], as: UTF8.self) }
    kind = name.map(sdkKeys.contains) ?? false ? .known : .unknown
  }

  /// Returns the members of the object.
  func members() throws(JSONDefect) -> [JSONValue.Member] {
    guard case .object(let members) = try JSONValue(parsing: text) else { return [] }
    return members
  }
}
