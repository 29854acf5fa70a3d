internal import Signatures

/// What becomes of an open value with which no JSON can go on.
///
/// Up to where it broke it is the beginning of a valid value, so its bytes are framed anew only from a place where a record
/// can begin. Objects that begin a line inside of it are the same bytes whether they are parsed with it or alone: those
/// that are open broke with it. The rest is framed again once for each bracket that was open, at most: work for each byte is
/// bounded whatever comes.
extension Framer {
  /// Leaves the open value, which is broken at the byte that comes next; `beforeRecord` says that this byte begins a line
  /// and can begin a record.
  mutating func leaveBrokenValue(beforeRecord: Bool = false) throws(LibcryptoFailure) {
    if let resumption = resumption() {
      try resume(at: resumption)
    } else if beforeRecord {
      try endRecord()
    } else if isBlock {
      nesting = Nesting(depth: scanner.depth)
      state = .broken
    } else {
      state = .line
    }
  }

  /// Leaves the open value where the text ends, if it holds what can be a record.
  mutating func leaveOpenValue() throws(LibcryptoFailure) {
    while state == .value, let resumption = resumption() { try resume(at: resumption) }
  }

  /// Notes that an object begins a line inside the open value.
  mutating func addNestedObject() throws(LibcryptoFailure) {
    nested.close(downTo: scanner.takeLowestDepth())
    if !(collector.heldOffset.map(nested.hasOpen(from:)) ?? false) {
      try collector.hold()
      if collector.isLossy { nested.removeAll() }
    }
    nested.add(offset: collector.openCount, line: line, depth: scanner.depth)
  }

  /// Whether the open value is, if it is broken, one record whatever the lines that it is on.
  private var isBlock: Bool { isInArray || isPrinted && !scanner.isAtFirstKey }

  /// Where framing goes on in the bytes of the open value; nil where it has no such place.
  private mutating func resumption() -> Resumption? {
    nested.close(downTo: scanner.takeLowestDepth())
    if collector.isLossy, collector.heldOffset == nil { return nil }
    if !isBlock, !collector.isLossy {
      return firstLineCount.map { Resumption(offset: $0, line: collector.openLine) }
    }
    return nested.starts.first.map { Resumption(offset: $0.offset, line: $0.line) }
  }

  /// Ends the open value at a place in it, and frames what is behind.
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
  /// The bytes of the value before it.
  let offset: Int
  /// The line that it is on.
  let line: Int
}
