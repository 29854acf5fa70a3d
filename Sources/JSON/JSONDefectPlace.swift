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
