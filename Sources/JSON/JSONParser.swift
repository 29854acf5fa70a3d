internal import CSimdjson

/// What a JSON value is.
public enum JSONKind: UInt8, Sendable {
  /// The key is not there.
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

/// A JSON value by where its text stands.
public struct JSONField: Sendable {
  /// What the value is.
  public var kind: JSONKind
  /// Its text: of a string what it says, escapes resolved; of all others the JSON as it was written.
  public var text: ByteRange

  /// A value of that kind with its text there.
  public init(kind: JSONKind, text: ByteRange) {
    self.kind = kind
    self.text = text
  }

  /// A key that is not there.
  public static let absent = JSONField(kind: .absent, text: ByteRange(start: 0, count: 0))
}

/// A member of an object, or an element of an array (then the key is absent).
public struct JSONMember: Sendable {
  /// The key, a string.
  public var key: JSONField
  /// The value.
  public var value: JSONField
}

/// What is wrong with a text that should be JSON.
public enum JSONDefect: Error, Sendable {
  /// The grammar is not RFC 8259's; in simdjson's words.
  case notJSON(String)
  /// Containers in containers, more than the parser allows.
  case tooDeep
  /// The bytes are not UTF-8.
  case invalidUTF8
  /// The key is there twice in one object, at whatever depth.
  case duplicateKey(String)
}

/// One container, parsed: the values of known keys by index, the others in order.
///
/// Meant to be used again for the next text, so that its arrays are allocated once.
public struct JSONDocument: Sendable {
  /// The value of the whole text.
  public internal(set) var root = JSONField.absent
  /// One for each name that the parser knows, in its order.
  public internal(set) var fields: [JSONField] = []
  /// An object's members with other keys, or an array's elements.
  public internal(set) var members: [JSONMember] = []
  /// Whether U+FFFD stands for halves of surrogate pairs.
  public package(set) var hasReplacedSurrogates = false

  /// A document with nothing in it.
  public init() {}
}

/// Parses JSON texts one after the other with simdjson's DOM parser.
///
/// Not for several tasks at once: each has its own.
@safe
public struct JSONParser: ~Copyable {
  /// Bytes that must follow a text in its buffer, whatever they hold.
  public static let padding = Int(CSIMDJSON_PADDING)

  private let handle: OpaquePointer
  private let nameCount: Int

  /// A parser that knows `names` and refuses texts nested deeper than `maximumDepth`. Traps where there is no memory left.
  public init(names: [String] = [], maximumDepth: Int = 64) {
    let lines = names.map { $0 + "\n" }.joined()
    guard let handle = unsafe csimdjson_new(lines, maximumDepth) else { preconditionFailure("no memory left") }
    unsafe self.handle = handle
    nameCount = names.count
  }

  deinit { unsafe csimdjson_free(handle) }

  /// Parses the JSON text that stands at `text` in `bytes`, which must go on for `padding` bytes behind it.
  ///
  /// The ranges in `document` are ranges of `bytes`. Strings that hold escapes are appended to `bytes`, with padding.
  ///
  /// With `replacingLoneSurrogates` an escape for half of a surrogate pair, which JSON has and no UTF-8 (RFC 8259, section
  /// 8.2), is read as U+FFFD: then all ranges lie in a copy of the text that is appended.
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
    precondition(text.upperBound + Self.padding <= bytes.count, "the text is not padded")
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
    document.fields.removeAll(keepingCapacity: true)
    document.members.removeAll(keepingCapacity: true)
    document.hasReplacedSurrogates = false
    guard unsafe result.status == CSIMDJSON_OK else {
      document.root = .absent
      throw unsafe Self.defect(result)
    }
    document.root = unsafe field(result.root)
    for index in 0..<nameCount {
      if let values = unsafe result.fields { unsafe document.fields.append(field(values[index])) }
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
    case CSIMDJSON_FAILED: preconditionFailure("no memory left")
    default: .notJSON(problem)
    }
  }

  /// The version of simdjson, such as "3.0.1".
  public static var libraryVersion: String { unsafe String(cString: csimdjson_version()) }
}
