internal import Base
internal import JSON
internal import Signatures

/// Finds the records in a text: JSON Lines, JSON objects and arrays of them, in any order.
///
/// The text comes in pieces of any size; the places where it is cut make no difference. The rules are:
///
/// - At the top level a record is an object, on one line with others or over several, or any other line.
/// - A value that begins with `[` is an array, and its elements are the records.
/// - The end of a record follows from its JSON, not from indentation. A part of a valid value is never a record.
/// - A broken value becomes a record too: its line, up to an object that begins behind a `}`; or, if that line is `{` alone or the value is in an
///   array, all bytes up to its last bracket. Framing goes on at the next line; in an array or such an object, at the
///   next line that begins with `{`, or, after the broken byte, with `[`. See `leaveBrokenValue(beforeRecord:)`.
///
/// So every byte that is neither white space nor an array's `[`, `,` or `]` is in exactly one record.
struct Framer: ~Copyable {
  enum State {
    /// At the start of the text.
    case start
    /// In bytes that may be a byte order mark.
    case mark
    /// Between top-level values.
    case top
    /// In a record that ends with its line.
    case line
    /// In an object at the top level, or in an element that is an object, an array or a string.
    case value
    /// Behind an object at the top level, on the line where it ended.
    case behind
    /// In what follows a broken object, or a complete one, on its line and is no object.
    case rest
    /// In a broken value that becomes one record, up to its last bracket.
    case broken
    /// In an array, between its elements.
    case array
    /// In an array element that is no object, array or string.
    case scalar
  }

  var state = State.start
  /// True if the records are the elements of an array.
  private(set) var isInArray = false
  /// True if each line is a record, whatever it begins with.
  var hasOnlyLines = false
  var collector: RecordCollector
  var scanner = ValueScanner()
  var nesting = Nesting(depth: 0)
  var nested = NestedObjects()
  /// The length of the first line of the open value in bytes; nil while the value is on one line.
  private(set) var firstLineCount: Int?
  /// True if the first line of the open value is only its opening bracket, as in pretty-printed JSON.
  private(set) var isPrinted = false
  var line = 1
  /// True if the last byte of the open object, or of the rest of its line, is a `}`, apart from white space.
  var isBehindBrace = false
  /// True if the current line has only white space so far.
  private var isIndenting = true
  /// True at the start of an array and after its `,`: another `,` here takes the place of an element.
  private var needsElement = true
  private var markCount = 0

  init(
    limits: ReadLimits,
    content: ContentDigest = ContentDigest(seed: 0),
    capacity: Int? = nil
  ) throws(LibcryptoFailure) {
    collector = try RecordCollector(limits: limits, content: content, capacity: capacity)
  }

  /// The content digest of all records so far.
  var content: ContentDigest { collector.content }

  /// True if the batch is full: `take()` must be called before more text is framed.
  var isFull: Bool { collector.isFull }

  /// Takes the complete records since the last call, and their bytes with the padding behind them.
  mutating func take() -> (bytes: [UInt8], records: [Record]) { collector.take() }

  /// Frames the next piece of the text. Returns the number of bytes framed, less than all if the batch is full.
  mutating func frame(_ text: Span<UInt8>) throws(LibcryptoFailure) -> Int {
    var position = 0
    while position < text.count, !isFull {
      position = try step(text, from: position)
    }
    return position
  }

  /// Frames the text from `position` in the current state alone. Returns the position up to which it was framed.
  mutating func step(_ text: Span<UInt8>, from position: Int) throws(LibcryptoFailure) -> Int {
    switch state {
    case .start: frameStart(text)
    case .mark: try frameMark(text, from: position)
    case .top: frameTop(text, from: position)
    case .line: try frameLine(text, from: position)
    case .value: try frameValue(text, from: position)
    case .behind: try frameBehind(text, from: position)
    case .rest: try frameRest(text, from: position)
    case .broken: try frameBroken(text, from: position)
    case .array: try frameArray(text, from: position)
    case .scalar: try frameScalar(text, from: position)
    }
  }

  /// Ends the text and its last record.
  ///
  /// A text that was cut short, for `reason`, and an array that is not closed, end with exactly one record with the
  /// defect `truncatedInput`, which holds the incomplete rest.
  mutating func finish(cut reason: String? = nil) throws(LibcryptoFailure) {
    try leaveOpenValue()
    guard let reason = reason ?? (isInArray ? "The array is not closed." : nil) else {
      if collector.isOpen { try collector.end() }
      return
    }
    if collector.isOpen, collector.isTooLarge { try collector.end() }
    if !collector.isOpen { collector.begin(line: line) }
    try collector.end(defect: .truncatedInput(reason))
  }

  private mutating func frameStart(_ text: Span<UInt8>) -> Int {
    state = .top
    if text[0] == ByteOrderMark.bytes[0] { begin(.mark) }
    return 0
  }

  private mutating func frameMark(_ text: Span<UInt8>, from position: Int) throws(LibcryptoFailure) -> Int {
    guard text[position] == ByteOrderMark.bytes[markCount] else {
      state = .line
      return position
    }
    try collector.extend(text.extracting(position...position))
    markCount += 1
    if markCount == ByteOrderMark.bytes.count {
      try collector.end(defect: .byteOrderMark)
      isIndenting = true
      state = .top
    }
    return position + 1
  }

  private mutating func frameTop(_ text: Span<UInt8>, from start: Int) -> Int {
    let position = skipWhitespace(text, from: start)
    guard position < text.count else { return position }
    switch text[position] {
    case _ where hasOnlyLines: begin(.line)
    case UInt8(ascii: "["):
      (isIndenting, needsElement, isInArray) = (false, true, true)
      state = .array
      return position + 1
    case UInt8(ascii: "{") where !text.hasWholeLine(from: position, limit: collector.limits.recordBytes):
      begin(.value)
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

  private mutating func frameValue(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    var position = start
    if isIndenting {
      position = skipWhitespace(text, from: start)
      try collector.extend(text.extracting(start..<position))
      guard position < text.count else { return position }
      if text[position] == UInt8(ascii: "{"), scanner.canOpen { try addNestedObject() }
    }
    let (end, stop) = scanner.scan(text, from: position)
    try collector.extend(text.extracting(position..<end))
    if end > position { isIndenting = false }
    noteBrace(text.extracting(position..<end))
    switch stop {
    case .textEnd:
      break
    case .lineEnd where scanner.isInString:
      try leaveBrokenValue()
    case .lineEnd:
      if firstLineCount == nil {
        firstLineCount = collector.openCount
        isPrinted = collector.solidCount == 1
      }
      isIndenting = true
    case .balanced where isInArray:
      try endRecord()
    case .balanced:
      state = .behind
    case .broken:
      try leaveBrokenValue(beforeRecord: isIndenting && text[end].beginsValue)
    }
    return end
  }

  private mutating func frameBroken(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    var position = start
    if isIndenting {
      position = skipWhitespace(text, from: start)
      try collector.extend(text.extracting(start..<position))
      guard position < text.count else { return position }
      if text[position].beginsValue {
        try endRecord()
        return position
      }
      isIndenting = false
    }
    let (end, stop) = nesting.scan(text, from: position)
    try collector.extend(text.extracting(position..<end))
    switch stop {
    case .textEnd: break
    case .lineEnd: isIndenting = true
    case .balanced:
      noteBrace(text.extracting(position..<end))
      if isInArray { try endRecord() } else { state = .rest }
    }
    return end
  }

  private mutating func frameArray(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    let position = skipWhitespace(text, from: start)
    guard position < text.count else { return position }
    switch text[position] {
    case UInt8(ascii: "]"):
      isIndenting = false
      isInArray = false
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
    case UInt8(ascii: "[") where isIndenting && !needsElement:
      // Another array begins, so this one was cut.
      isInArray = false
      state = .top
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
      begin(.value)
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

  mutating func begin(_ next: State) {
    state = next
    (isIndenting, isBehindBrace) = (false, false)
    collector.begin(line: line)
    guard next == .value else { return }
    scanner = ValueScanner()
    nested.removeAll()
    firstLineCount = nil
    isPrinted = false
  }

  mutating func endRecord() throws(LibcryptoFailure) {
    try collector.end()
    beginNext()
  }

  /// Goes on to the text behind a record.
  mutating func beginNext() {
    needsElement = false
    state = isInArray ? .array : .top
  }

  /// Returns the position of the next byte that is not white space, and counts the lines up to there.
  private mutating func skipWhitespace(_ text: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position < text.count, text[position].isWhitespace {
      if text[position] == UInt8(ascii: "\n") {
        line += 1
        isIndenting = true
      }
      position += 1
    }
    return position
  }
}
