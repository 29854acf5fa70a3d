internal import CSimdjson

/// The type of a JSON value.
public enum JSONKind: UInt8, Sendable {
  /// There is no value: the key is absent.
  case absent = 0
  /// `null`.
  case null
  /// `false`.
  case `false`
  /// `true`.
  case `true`
  /// A number of any size; its text is as it was written.
  case number
  /// A string.
  case string
  /// An object.
  case object
  /// An array.
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
  /// The text does not follow the grammar of RFC 8259; the message is simdjson's.
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

/// Parses JSON texts one after the other with simdjson's DOM parser.
///
/// A parser must not be used by several tasks at once; each task has its own.
@safe
public struct JSONParser: ~Copyable {
  /// The number of bytes that must follow a text in its buffer; their values do not matter.
  public static let padding = Int(CSIMDJSON_PADDING)

  private let handle: OpaquePointer
  private let nameCount: Int

  /// A parser that knows `names` and refuses texts nested deeper than `maximumDepth`. Traps where memory runs out.
  public init(names: [String] = [], maximumDepth: Int = 64) {
    let lines = names.map { $0 + "\n" }.joined()
    guard let handle = unsafe csimdjson_new(lines, maximumDepth) else { preconditionFailure("out of memory") }
    unsafe self.handle = handle
    nameCount = names.count
  }

  deinit { unsafe csimdjson_free(handle) }

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
      try parseExactly(text, of: &bytes, into: &document)
    } catch {
      guard replacingLoneSurrogates, case .notJSON = error,
        let replaced = bytes[text].replacingLoneSurrogates()
      else { throw error }
      let start = bytes.count
      bytes += replaced
      bytes.append(contentsOf: repeatElement(0, count: Self.padding))
      try parseExactly(start..<start + replaced.count, of: &bytes, into: &document)
      document.hasReplacedSurrogates = true
    }
  }

  private mutating func parseExactly(
    _ text: Range<Int>,
    of bytes: inout [UInt8],
    into document: inout JSONDocument
  ) throws(JSONDefect) {
    precondition(text.upperBound + Self.padding <= bytes.count, "the text is followed by too few padding bytes")
    var result = unsafe csimdjson_result()
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      unsafe csimdjson_parse(handle, start + text.lowerBound, text.count, &result)
    }
    let unescapedStart = bytes.count
    func field(_ value: csimdjson_value) -> JSONField {
      let start = (value.is_unescaped == 0 ? text.lowerBound : unescapedStart) + Int(value.start)
      return JSONField(
        kind: JSONKind(rawValue: value.kind.rawValue) ?? .absent,
        text: ByteRange(start: start, count: Int(value.count))
      )
    }
    document.members.removeAll(keepingCapacity: true)
    document.hasReplacedSurrogates = false
    guard unsafe result.status == CSIMDJSON_OK else {
      document.fields.removeAll(keepingCapacity: true)
      document.root = .absent
      throw unsafe Self.defect(result)
    }
    document.root = unsafe field(result.root)
    if document.fields.count != nameCount { document.fields = Array(repeating: .absent, count: nameCount) }
    if let values = unsafe result.fields {
      var fields = document.fields.mutableSpan
      for index in fields.indices { unsafe fields[index] = field(values[index]) }
    }
    for index in unsafe 0..<result.member_count {
      guard let member = unsafe result.members?[index] else { break }
      document.members.append(JSONMember(key: field(member.key), value: field(member.value)))
    }
    if unsafe result.unescaped_count > 0 {
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: result.unescaped, count: result.unescaped_count))
      bytes.append(contentsOf: repeatElement(0, count: Self.padding))
    }
  }

  private static func defect(_ result: csimdjson_result) -> JSONDefect {
    let problem = unsafe result.problem.map { unsafe String(cString: $0) } ?? ""
    return switch unsafe result.status {
    case CSIMDJSON_TOO_DEEP: .tooDeep
    case CSIMDJSON_INVALID_UTF8: .invalidUTF8
    case CSIMDJSON_DUPLICATE_KEY: .duplicateKey(problem)
    case CSIMDJSON_FAILED: preconditionFailure("out of memory")
    default: .notJSON(problem)
    }
  }

  /// The version of simdjson, such as "3.0.1".
  public static var libraryVersion: String { unsafe String(cString: csimdjson_version()) }
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
