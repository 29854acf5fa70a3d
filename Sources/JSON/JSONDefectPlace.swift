extension JSONDefect {
  /// The defect of a text file, its place and its correction, as complete sentences.
  package func advice(in text: [UInt8]) -> String {
    var scan = JSONScan(text)
    let found = scan.defect()
    let place = found.map { " at \(JSONPlace(of: $0.offset, in: text))" } ?? ""
    return switch self {
    case .notJSON:
      "The text is not JSON" + (found.map { "\(place): \($0.problem)." } ?? ", and it is nested too deeply.")
    case .tooDeep: "The JSON text is nested too deeply."
    case .invalidUTF8:
      "The text is not UTF-8\(JSONPlace(ofInvalidUTF8In: text).map { " at \($0)" } ?? ""). Save it as UTF-8."
    case .duplicateKey(let key):
      "The text has the key \(key.debugDescription) twice in one object" + (place.isEmpty ? "" : ", again\(place)")
        + ". Remove one."
    }
  }
}

/// A place in a text, as editors count lines and columns.
struct JSONPlace: CustomStringConvertible {
  /// The number of the line, from 1.
  let line: Int
  /// The column, from 1, counted in Unicode scalars.
  let column: Int

  /// The place of the byte at an offset.
  init(of offset: Int, in text: [UInt8]) {
    let before = text.prefix(offset)
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Each scalar has exactly one byte that is not a continuation byte (10xxxxxx).
    column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
  }

  /// The place of the first byte that is not valid UTF-8; nil where all bytes are.
  init?(ofInvalidUTF8In text: [UInt8]) {
    var decoder = UTF8.ForwardParser()
    var bytes = text.makeIterator()
    var offset = 0
    while true {
      switch decoder.parseScalar(from: &bytes) {
      case .valid(let scalar): offset += scalar.count
      case .error, .emptyInput:
        guard offset < text.count else { return nil }
        self.init(of: offset, in: text)
        return
      }
    }
  }

  var description: String { "line \(line), column \(column)" }
}

extension JSONNode {
  /// The number of the line of `text`, from 1, on which the value begins; of an absent one, the object that lacks it.
  ///
  /// `text` is the JSON text that the node is of.
  package func line(in text: [UInt8]) -> Int {
    var range = text.indices
    for token in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let key = Self.key(token)
      var scan = JSONScan(Array(text[range]))
      guard let root = try? scan.root() else { break }
      let found =
        root.kind == .array
        ? Int(token).flatMap { scan.members.indices.contains($0) ? scan.members[$0].value : nil }
        : scan.members.first { $0.key.map(scan.content(of:)) == key }?.value
      guard let value = found else { break }
      range = range.lowerBound + value.text.lowerBound..<range.lowerBound + value.text.upperBound
    }
    let start = text[range].firstIndex { !$0.isWhitespace } ?? range.lowerBound
    return JSONPlace(of: start, in: text).line
  }

  /// The key that a token of a JSON Pointer means. Source: RFC 6901, section 4.
  private static func key(_ token: Substring) -> [UInt8] {
    var key: [UInt8] = []
    var isEscaped = false
    for byte in token.utf8 {
      if isEscaped {
        key[key.count - 1] = byte == UInt8(ascii: "1") ? UInt8(ascii: "/") : UInt8(ascii: "~")
      } else {
        key.append(byte)
      }
      isEscaped = !isEscaped && byte == UInt8(ascii: "~")
    }
    return key
  }
}
