internal import Base

/// A parser without simdjson, for apps and short texts. It gives the values that `SimdjsonParser` gives, and refuses
/// the texts that it refuses, for the same reason.
package struct PortableParser {
  /// The number of bytes that must follow a text in its buffer.
  package static let padding = 0

  private let names: [[UInt8]: Int]
  private let maximumDepth: Int

  /// A parser that knows `names` and refuses texts nested deeper than `maximumDepth`.
  package init(names: [String], maximumDepth: Int) {
    self.names = Dictionary(uniqueKeysWithValues: names.enumerated().map { (Array($0.element.utf8), $0.offset) })
    self.maximumDepth = maximumDepth
  }

  /// Parses the JSON text in the range `text` of `bytes`, as `JSONParser` does.
  package func parse(
    _ text: Range<Int>,
    of bytes: inout [UInt8],
    into document: inout JSONDocument
  ) throws(JSONDefect) {
    document = JSONDocument()
    let json = Array(bytes[text])
    if let defect = Self.defectOfWholeText(json) { throw defect }
    var scan = JSONScan(json, known: Set(names.keys), maximumDepth: maximumDepth)
    let root: JSONScan.Token
    do {
      root = try scan.root()
    } catch {
      throw error.isTooDeep ? .tooDeep : .notJSON(error.problem)
    }
    if let key = scan.repeatedKey { throw .duplicateKey(String(decoding: key, as: UTF8.self)) }
    func field(_ token: JSONScan.Token) -> JSONField {
      guard token.hasEscapes else {
        return JSONField(
          kind: token.kind,
          text: ByteRange(start: text.lowerBound + token.text.lowerBound, count: token.text.count)
        )
      }
      let content = scan.content(of: token)
      bytes += content
      return JSONField(kind: token.kind, text: ByteRange(start: bytes.count - content.count, count: content.count))
    }
    document.root = field(root)
    document.fields = Array(repeating: .absent, count: names.count)
    for (key, value) in scan.members {
      if let key, let index = names[scan.content(of: key)] {
        document.fields[index] = field(value)
      } else {
        document.members.append(JSONMember(key: key.map(field) ?? .absent, value: field(value)))
      }
    }
  }

  /// The defects that simdjson finds before it reads the first value: in the strings, in the encoding, and of the last
  /// bracket.
  private static func defectOfWholeText(_ text: [UInt8]) -> JSONDefect? {
    guard ByteOrderMark.length(in: text) == 0 else { return .notJSON("a byte order mark") }
    var (isInString, isEscaped, hasControl) = (false, false, false)
    for byte in text {
      if isInString, byte < 0x20 { hasControl = true }
      if byte == UInt8(ascii: "\""), !isEscaped { isInString.toggle() }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    if isInString { return .notJSON("a string that is not closed") }
    if hasControl { return .notJSON("a control character inside a string") }
    guard JSONPlace(ofInvalidUTF8In: text) == nil else { return .invalidUTF8 }
    switch text.first(where: { !$0.isWhitespace }) {
    case UInt8(ascii: "{") where text.last(where: { !$0.isWhitespace }) != UInt8(ascii: "}"),
      UInt8(ascii: "[") where text.last(where: { !$0.isWhitespace }) != UInt8(ascii: "]"):
      return .notJSON("a container that is not closed")
    default: return nil
    }
  }
}
