/// The type of a JSON value.
public enum JSONKind: UInt8, Sendable {
  /// There is no value: the key is absent.
  case absent = 0
  case null
  case `false`
  case `true`
  /// A number of any size; its text is as it was written.
  case number
  case string
  case object
  case array
}

/// A JSON value: its type, and the position of its text.
public struct JSONField: Sendable {
  /// The type of the value.
  public var kind: JSONKind
  /// The text: the content of a string with escapes resolved, or the JSON of any other value as it was written.
  public var text: ByteRange

  /// A value of that type with its text at that range.
  public init(kind: JSONKind, text: ByteRange) {
    self.kind = kind
    self.text = text
  }

  /// The field of a key that is absent.
  public static let absent = JSONField(kind: .absent, text: ByteRange(start: 0, count: 0))
}

/// A member of an object, or an element of an array; the key of an element is absent.
public struct JSONMember: Sendable {
  /// The key as a string.
  public var key: JSONField
  /// The value.
  public var value: JSONField
}

/// The reason for which a text is not acceptable JSON.
public enum JSONDefect: Error, Sendable {
  /// The text does not follow the grammar of RFC 8259; the message is the parser's.
  case notJSON(String)
  /// Containers are nested deeper than the parser allows.
  case tooDeep
  /// The bytes are not UTF-8.
  case invalidUTF8
  /// An object has this key twice, at any depth of the text.
  case duplicateKey(String)
}

/// A parsed container: the values of known keys by index, all others in order.
///
/// Reuse a document for the next text, so that its arrays are allocated only once.
public struct JSONDocument: Sendable {
  /// The value of the whole text.
  public internal(set) var root = JSONField.absent
  /// The values of the names that the parser knows, in the order of the names.
  public internal(set) var fields: [JSONField] = []
  /// An object's members with other keys, or an array's elements.
  public internal(set) var members: [JSONMember] = []
  /// Indicates that escapes for half of a surrogate pair were read as U+FFFD.
  public package(set) var hasReplacedSurrogates = false

  /// An empty document.
  public init() {}
}

/// Parses JSON texts one after the other: with simdjson, or without it where an app is compiled.
///
/// A parser must not be used by several tasks at once; each task has its own.
public struct JSONParser: ~Copyable {
  #if canImport(CSimdjson)
    private typealias Engine = SimdjsonParser
  #else
    private typealias Engine = PortableParser
  #endif

  /// The number of bytes that must follow a text in its buffer; their values do not matter.
  public static let padding = Engine.padding

  private let engine: Engine

  /// A parser that knows `names` and refuses texts nested deeper than `maximumDepth`. Traps where memory runs out.
  public init(names: [String] = [], maximumDepth: Int = 64) {
    engine = Engine(names: names, maximumDepth: maximumDepth)
  }

  /// Parses the JSON text in the range `text` of `bytes`, after which at least `padding` more bytes must follow.
  ///
  /// The ranges in `document` are ranges of `bytes`. The text of strings with escapes is appended to `bytes`, with
  /// padding.
  ///
  /// With `replacingLoneSurrogates` an escape for half of a surrogate pair, which JSON allows and UTF-8 cannot hold
  /// (RFC 8259, section 8.2), is read as U+FFFD. All ranges then lie in a copy of the text that is appended to
  /// `bytes`.
  public mutating func parse(
    _ text: Range<Int>,
    of bytes: inout [UInt8],
    into document: inout JSONDocument,
    replacingLoneSurrogates: Bool = false
  ) throws(JSONDefect) {
    do throws(JSONDefect) {
      try engine.parse(text, of: &bytes, into: &document)
    } catch {
      guard replacingLoneSurrogates, case .notJSON = error,
        let replaced = bytes[text].replacingLoneSurrogates()
      else { throw error }
      let start = bytes.count
      bytes += replaced
      bytes.append(contentsOf: repeatElement(0, count: Self.padding))
      try engine.parse(start..<start + replaced.count, of: &bytes, into: &document)
      document.hasReplacedSurrogates = true
    }
  }
}

/// The position of a value in the buffer from which it was parsed, in bytes.
///
/// Values stay in the buffer; later stages carry only their ranges.
public struct ByteRange: Hashable, Sendable {
  /// The offset of the first byte.
  public var start: UInt32
  /// The number of bytes.
  public var count: UInt32

  /// The range of `count` bytes from `start`.
  public init(start: Int, count: Int) {
    self.start = UInt32(start)
    self.count = UInt32(count)
  }

  /// The range as indices of an array.
  public var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  public mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a part of another array.
  @available(iOS 26.0, *)
  public mutating func append(_ range: ByteRange, of bytes: [UInt8]) {
    append(copying: bytes.span.extracting(range.indices))
  }
}

extension UInt8 {
  /// Indicates that the byte is white space in JSON (RFC 8259, section 2).
  @inlinable package var isWhitespace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension ArraySlice<UInt8> {
  /// Returns the JSON text with `\ufffd` in place of each escape for half of a surrogate pair, at the same length. Nil
  /// if it has no such escape.
  func replacingLoneSurrogates() -> [UInt8]? {
    var replaced: [UInt8]?
    var index = startIndex
    while let escape = self[index...].firstIndex(of: UInt8(ascii: "\\")) {
      switch surrogate(at: escape) {
      case .high where surrogate(at: escape + 6) == .low: index = escape + 12
      case .high, .low:
        if replaced == nil { replaced = Array(self) }
        let start = escape - startIndex
        replaced?.replaceSubrange(start..<start + 6, with: "\\ufffd".utf8)
        index = escape + 6
      // Any other escape has at least one character after the backslash.
      case nil: index = Swift.min(escape + 2, endIndex)
      }
    }
    return replaced
  }

  private enum Surrogate {
    case high, low
  }

  /// The half of a surrogate pair that the escape at an index stands for: high for `\ud8…` to `\udb…`, low for `\udc…`
  /// to `\udf…`; nil for anything else.
  private func surrogate(at index: Int) -> Surrogate? {
    guard index + 6 <= endIndex, self[index] == UInt8(ascii: "\\"), self[index + 1] == UInt8(ascii: "u"),
      let unit = UInt16(String(decoding: self[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    else { return nil }
    return switch unit {
    case 0xD800...0xDBFF: .high
    case 0xDC00...0xDFFF: .low
    default: nil
    }
  }
}
