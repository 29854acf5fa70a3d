internal import Signatures

/// Recovery from a broken value: one whose next byte cannot follow in JSON, or that is open at the end of the text.
///
/// Up to the byte where it broke, the value is the beginning of valid JSON. Therefore its bytes are framed again only
/// from a place where a record can begin. An object that begins a line inside the value has the same bytes whether it
/// is parsed with the value or alone; an object that is still open is broken too. Bytes are framed again at most once
/// for each bracket that was open, so the work for each byte is bounded for any input.
extension Framer {
  /// Leaves the open value, which is broken at the next byte; `beforeRecord` is true if that byte begins a line and can
  /// begin a record.
  mutating func leaveBrokenValue(beforeRecord: Bool = false) throws(LibcryptoFailure) {
    if let resumption = resumption() {
      try resume(at: resumption)
    } else if beforeRecord {
      try endRecord()
    } else if isBlock {
      nesting = Nesting(depth: scanner.depth)
      state = .broken
    } else {
      state = .rest
    }
  }

  /// Leaves a value that is still open at the end of the text, if a record can begin inside it.
  mutating func leaveOpenValue() throws(LibcryptoFailure) {
    while state == .value, let resumption = resumption() { try resume(at: resumption) }
  }

  /// Registers an object that begins a line inside the open value.
  mutating func addNestedObject() throws(LibcryptoFailure) {
    nested.close(downTo: scanner.takeLowestDepth())
    if !(collector.heldOffset.map(nested.hasOpen(from:)) ?? false) {
      try collector.hold()
      if collector.isLossy { nested.removeAll() }
    }
    nested.add(offset: collector.openCount, line: line, depth: scanner.depth)
  }

  /// True if the open value, should it be broken, is one record across all its lines.
  private var isBlock: Bool { isInArray || isPrinted && !scanner.isAtFirstKey }

  /// Returns the place in the open value from which framing goes on; nil if no record can begin inside the value.
  private mutating func resumption() -> Resumption? {
    nested.close(downTo: scanner.takeLowestDepth())
    if collector.isLossy, collector.heldOffset == nil { return nil }
    if !isBlock, !collector.isLossy {
      return firstLineCount.map { Resumption(offset: $0, line: collector.openLine) }
    }
    return nested.starts.first.map { Resumption(offset: $0.offset, line: $0.line) }
  }

  /// Ends the open record at a place in the open value, and frames the bytes behind that place again.
  private mutating func resume(at resumption: Resumption) throws(LibcryptoFailure) {
    let rest = try collector.cut(at: resumption.offset)
    beginNext()
    line = resumption.line
    var start = 0
    var previous = resumption.line - (nested.starts.first?.offset == resumption.offset ? 1 : 0)
    for (object, next) in zip(nested.starts, nested.starts.dropFirst()) {
      guard object.isOpen, object.line == previous + 1, next.line == object.line + 1 else { break }
      collector.begin(line: object.line)
      let end = next.offset - resumption.offset
      try collector.extend(rest.span.extracting((object.offset - resumption.offset)..<end))
      try collector.end()
      (start, previous, line) = (end, object.line, next.line)
    }
    while start < rest.count { start += try step(rest.span.extracting(start...), from: 0) }
  }
}

/// A place in the open value where a record can begin.
private struct Resumption {
  /// The number of bytes of the value before the place.
  let offset: Int
  /// The line of the place, from 1.
  let line: Int
}

/// The nesting depth in a broken JSON text, used to guess its end.
///
/// Counts all brackets alike, `{` as `[`. A line end ends a string.
struct Nesting {
  /// The reason why a scan stopped.
  enum Stop {
    /// All of the text was scanned.
    case textEnd
    /// The position is at a line feed, which was not scanned.
    case lineEnd
    /// All brackets are closed; the position is after the last one.
    case balanced
  }

  private var depth: Int
  private var isInString = false
  private var isEscaped = false

  /// A position inside `depth` brackets and outside of strings.
  init(depth: Int) { self.depth = depth }

  /// Scans `text` from `start`. To go on, call it with the next text after `textEnd`, and behind the line feed after
  /// `lineEnd`.
  mutating func scan(_ text: Span<UInt8>, from start: Int) -> (position: Int, stop: Stop) {
    if depth <= 0 { return (start, .balanced) }
    var position = start
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\n") {
        (isInString, isEscaped) = (false, false)
        return (position, .lineEnd)
      }
      position += 1
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return (position, .balanced) }
      default:
        break
      }
    }
    return (position, .textEnd)
  }
}

/// The objects that begin a line inside an open value: places to resume framing if the value turns out to be broken.
///
/// Objects inside a complete object are dropped; only the outermost complete one is kept.
struct NestedObjects {
  /// The start of an object.
  struct Start {
    /// The number of bytes of the open value before the object.
    let offset: Int
    /// The line that the object begins, from 1.
    let line: Int
    /// The number of open brackets around the object.
    let depth: Int
    /// True if the end of the object was not seen.
    fileprivate(set) var isOpen = true
  }

  /// The starts, in the order of the text.
  private(set) var starts: [Start] = []
  /// The indices of the objects in `starts` that are open, each inside the one before.
  private var open: [Int] = []

  /// Tells if an object is open that begins at `offset` or behind it.
  func hasOpen(from offset: Int) -> Bool { open.last.map { starts[$0].offset >= offset } ?? false }

  /// Adds an open object.
  mutating func add(offset: Int, line: Int, depth: Int) {
    open.append(starts.count)
    starts.append(Start(offset: offset, line: line, depth: depth))
  }

  /// Closes the open objects that have at least `depth` brackets around them.
  mutating func close(downTo depth: Int) {
    while let index = open.last, starts[index].depth >= depth {
      starts[index].isOpen = false
      starts.removeSubrange((index + 1)...)
      open.removeLast()
    }
  }

  /// Removes all objects.
  mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
  }
}
