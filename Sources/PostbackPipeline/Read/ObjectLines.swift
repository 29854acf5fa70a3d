internal import JSON
internal import Signatures

/// The records of a line that begins with an object: objects one after another, as some pipelines write them.
///
/// Text that is no object belongs to the object before it, and makes that record a broken one. So does text behind a broken
/// object, up to the next `{` behind a `}`, where an object begins again.
extension Framer {
  /// Frames the text behind an object.
  mutating func frameBehind(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    var end = start
    while end < text.count, text[end].isWhitespace, text[end] != UInt8(ascii: "\n") { end += 1 }
    try collector.extend(text.extracting(start..<end))
    guard end < text.count else { return end }
    if text[end] == UInt8(ascii: "{") { try beginBehind() } else { state = .rest }
    return end
  }

  /// Frames the rest of a line behind a broken object, or behind an object that something else follows.
  mutating func frameRest(_ text: Span<UInt8>, from start: Int) throws(LibcryptoFailure) -> Int {
    var end = start
    while end < text.count, text[end] != UInt8(ascii: "\n"), !(isBehindBrace && text[end] == UInt8(ascii: "{")) {
      if !text[end].isWhitespace { isBehindBrace = text[end] == UInt8(ascii: "}") }
      end += 1
    }
    try collector.extend(text.extracting(start..<end))
    guard end < text.count else { return end }
    if text[end] == UInt8(ascii: "{") { try beginBehind() } else { try endRecord() }
    return end
  }

  /// Ends the record, and begins the next one on the same line. It is scanned in any case: only the first one of a line is
  /// looked at as a whole, so that each byte is looked at a few times at most.
  private mutating func beginBehind() throws(LibcryptoFailure) {
    try collector.end()
    begin(.value)
  }

  /// Notes if the last byte of some text of the open record is a `}`, apart from white space.
  mutating func noteBrace(_ text: Span<UInt8>) {
    var last = text.count
    while last > 0, text[last - 1].isWhitespace { last -= 1 }
    if last > 0 { isBehindBrace = text[last - 1] == UInt8(ascii: "}") }
  }
}
