internal import Glibc
internal import Signatures

/// Finds the records in a text: JSON Lines, JSON objects and arrays of them, in any order.
///
/// The text comes in pieces of any size; where they are cut changes nothing. What is found:
///
/// - At the top level a record is a line, or the lines of an object that goes on over several.
/// - A value that begins with `[` is an array, its elements are the records.
/// - What is broken becomes a record too, and is left as soon as a postback can begin again: at a line end inside a
///   string; at a line that begins with `{` and is indented no more than the line where the open record begins; at one
///   that begins with `[` and is indented no more than the line where the open top-level value begins.
///
/// So every byte that is neither white space nor an array's `[`, `,` or `]` is in exactly one record.
struct Framer: ~Copyable {
  private enum State {
    /// At the start of the input.
    case start
    /// In what may become a byte order mark.
    case mark
    /// Between top-level values.
    case top
    /// In a record that ends with its line.
    case line
    /// In an object at the top level.
    case object
    /// In an array, between its elements.
    case array
    /// In an element that is an object, an array or a string.
    case element
    /// In an element that is something else.
    case scalar

    var isInArray: Bool { self == .array || self == .element || self == .scalar }
  }

  private static let byteOrderMark: [3 of UInt8] = [0xEF, 0xBB, 0xBF]

  private var state = State.start
  private var collector: RecordCollector
  private var nesting = Nesting()
  private var line = 1
  /// The white space that the line begins with, as far as it was seen.
  private var indentation = 0
  /// Whether nothing but white space was seen of the line.
  private var isIndenting = true
  /// The indentation of the line where the open record begins.
  private var recordIndentation = 0
  /// The indentation of the line where the open top-level value begins.
  private var valueIndentation = 0
  /// Whether an array's next `,` would stand where an element should.
  private var needsElement = true
  private var markCount = 0

  init(
    limits: ReadLimits,
    content: ContentDigest = ContentDigest(seed: 0),
    capacity: Int? = nil
  ) throws(LibcryptoFailure) {
    collector = try RecordCollector(limits: limits, content: content, capacity: capacity)
  }

  /// What all records so far are known by.
  var content: ContentDigest { collector.content }

  /// Whether no record is complete.
  var isEmpty: Bool { collector.isEmpty }

  /// Whether the batch must be taken before more is framed.
  var isFull: Bool { collector.isFull }

  /// The complete records so far, and their bytes with the padding behind them.
  mutating func take() -> (bytes: [UInt8], records: [Record]) { collector.take() }

  /// Frames the next piece of the text; returns how much of it, less than all where the batch is full.
  mutating func frame(_ text: Span<UInt8>) throws(LibcryptoFailure) -> Int {
    var position = 0
    while position < text.count, !isFull {
      switch state {
      case .start: position = frameStart(text)
      case .mark: position = try frameMark(text, from: position)
      case .top: position = frameTop(text, from: position)
      case .line: position = try frameLine(text, from: position)
      case .object, .element: position = try frameNested(text, from: position)
      case .array: position = try frameArray(text, from: position)
      case .scalar: position = try frameScalar(text, from: position)
      }
    }
    return position
  }

  /// Ends the text.
  ///
  /// A text that was cut short, for `reason`, and an array that is not closed, end with exactly one record that says
  /// so and holds what was not complete.
  mutating func finish(cut reason: String? = nil) throws(LibcryptoFailure) {
    guard let reason = reason ?? (state.isInArray ? "the array is not closed" : nil) else {
      if collector.isOpen { try collector.end() }
      return
    }
    if collector.isOpen, collector.isTooLarge { try collector.end() }
    if !collector.isOpen { collector.begin(line: line) }
    try collector.end(defect: .truncatedInput(reason))
  }

  private mutating func frameStart(_ text: Span<UInt8>) -> Int {
    state = .top
    if text[0] == Self.byteOrderMark[0] { begin(.mark) }
    return 0
  }

  private mutating func frameMark(_ text: Span<UInt8>, from position: Int) throws(LibcryptoFailure) -> Int {
    guard text[position] == Self.byteOrderMark[markCount] else {
      state = .line
      return position
    }
    try collector.extend(text.extracting(position...position))
    markCount += 1
    if markCount == Self.byteOrderMark.count {
      try collector.end(defect: .byteOrderMark)
      isIndenting = true
      state = .top
    }
    return position + 1
  }

  private mutating func frameTop(_ text: Span<UInt8>, from start: Int) -> Int {
    let position = skipWhitespace(text, from: start)
    guard position < text.count else { return position }
    valueIndentation = indentation
    switch text[position] {
    case UInt8(ascii: "["):
      isIndenting = false
      needsElement = true
      state = .array
      return position + 1
    case UInt8(ascii: "{") where !text.hasLine(from: position, endingIn: UInt8(ascii: "}")):
      begin(.object)
    default:
      begin(.line)
    }
    return position
  }

  private mutating func frameLine(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    let end = text.lineEnd(from: start)
    try collector.extend(text.extracting(start..<(end ?? text.count)))
    if end != nil { try endRecord() }
    return end ?? text.count
  }

  /// Frames inside an object, an array or a string, whether at the top level or as an element.
  private mutating func frameNested(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    if isIndenting {
      let position = skipWhitespace(text, from: start)
      try collector.extend(text.extracting(start..<position))
      guard position < text.count else { return position }
      if isNewStart(text[position]) { try endRecord() } else { isIndenting = false }
      return position
    }
    let (position, stop) = nesting.scan(text, from: start)
    try collector.extend(text.extracting(start..<position))
    switch stop {
    case .textEnd:
      break
    case .balanced:
      if state == .element { try endRecord() } else { state = .line }
    case .lineEnd where nesting.isInString || isCompleteLine:
      try endRecord()
    case .lineEnd:
      isIndenting = true
    }
    return position
  }

  /// Whether the open record is a line at the top level that looks like JSON Lines.
  private var isCompleteLine: Bool {
    state == .object && line == collector.openLine && collector.lastByte == UInt8(ascii: "}")
  }

  private mutating func frameArray(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    let position = skipWhitespace(text, from: start)
    guard position < text.count else { return position }
    switch text[position] {
    case UInt8(ascii: "]"):
      isIndenting = false
      state = .top
      return position + 1
    case UInt8(ascii: ",") where !needsElement:
      isIndenting = false
      needsElement = true
      return position + 1
    case UInt8(ascii: ","):
      begin(.scalar)
      try collector.extend(text.extracting(position...position))
      try endRecord()
      needsElement = true
      return position + 1
    case UInt8(ascii: "[") where isIndenting && isNewStart(UInt8(ascii: "[")):
      state = .top
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
      begin(.element)
    default:
      begin(.scalar)
    }
    return position
  }

  private mutating func frameScalar(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    var end = start
    while end < text.count, !text[end].endsScalar { end += 1 }
    try collector.extend(text.extracting(start..<end))
    if end < text.count { try endRecord() }
    return end
  }

  private mutating func begin(_ next: State) {
    state = next
    nesting = Nesting()
    recordIndentation = indentation
    isIndenting = false
    collector.begin(line: line)
  }

  private mutating func endRecord() throws(LibcryptoFailure) {
    try collector.end()
    needsElement = false
    state = state.isInArray ? .array : .top
  }

  /// Whether a line that begins with `byte` leaves the open record behind.
  private func isNewStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"): indentation <= recordIndentation
    case UInt8(ascii: "["): indentation <= valueIndentation
    default: false
    }
  }

  /// The position of the next byte that is not white space; counts lines and indentation on the way.
  private mutating func skipWhitespace(_ text: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < text.count, text[position].isWhitespace {
      if text[position] == UInt8(ascii: "\n") {
        line += 1
        indentation = 0
        isIndenting = true
      } else if isIndenting {
        indentation += 1
      }
      position += 1
    }
    return position
  }
}

extension UInt8 {
  /// Whether an element that is neither object, array nor string ends before it.
  ///
  /// White space is not enough: an element and the junk after it are one bad record.
  fileprivate var endsScalar: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\n"): true
    default: false
    }
  }
}

extension Span<UInt8> {
  /// The position of the first line end at or after `start`.
  fileprivate func lineEnd(from start: Int) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return unsafe memchr(base + start, 0x0A, bytes.count - start).map {
        unsafe $0 - UnsafeMutableRawPointer(mutating: base)
      }
    }
  }

  /// Whether the line from `start` is complete and its last byte, white space apart, is `byte`.
  fileprivate func hasLine(from start: Int, endingIn byte: UInt8) -> Bool {
    guard var end = lineEnd(from: start) else { return false }
    while end > start, self[end - 1].isWhitespace { end -= 1 }
    return end > start && self[end - 1] == byte
  }
}
