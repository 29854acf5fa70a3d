#if canImport(CSimdjson)
  internal import CSimdjson

  /// The parser of simdjson's DOM, with the names that it knows.
  @safe
  struct SimdjsonParser: ~Copyable {
    /// The number of bytes that must follow a text in its buffer; their values do not matter.
    static let padding = Int(CSIMDJSON_PADDING)

    private let handle: OpaquePointer
    private let nameCount: Int

    /// A parser that knows `names` and refuses texts nested deeper than `maximumDepth`. Traps where memory runs out.
    init(names: [String], maximumDepth: Int) {
      let lines = names.map { $0 + "\n" }.joined()
      guard let handle = unsafe csimdjson_new(lines, maximumDepth) else { preconditionFailure("out of memory") }
      unsafe self.handle = handle
      nameCount = names.count
    }

    deinit { unsafe csimdjson_free(handle) }

    /// Parses the JSON text in the range `text` of `bytes`, as `JSONParser` does.
    func parse(
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
  }

  extension JSONParser {
    /// The version of simdjson, such as "3.0.1".
    package static var libraryVersion: String { unsafe String(cString: csimdjson_version()) }
  }
#endif
