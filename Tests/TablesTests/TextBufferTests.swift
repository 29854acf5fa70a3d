@testable import Tables
import JSON
import TestSupport
import Testing

@Suite struct `The text of rows` {
  /// Texts of all lengths around words of eight bytes, and long ones: of random bytes, and of escaped bytes and their
  /// neighbours.
  private static func texts() -> [[UInt8]] {
    var random = SplitMix(seed: 7)
    let special: [UInt8] = [0, 1, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x2C, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]
    return (Array(0...40) + [63, 64, 65, 1000, 1007, 4096, 70_000]).flatMap { length in
      (0..<(length > 100 ? 3 : 60)).map { round in
        (0..<length).map { _ in
          switch round % 3 {
          case 0: UInt8.random(in: 0...255, using: &random)
          case 1: special.randomElement(using: &random) ?? 0
          default: UInt8.random(in: 0..<20, using: &random) == 0 ? special.randomElement(using: &random) ?? 0 : 0x61
          }
        }
      }
    }
  }

  private static func text(_ write: (inout TextBuffer) -> Void) -> [UInt8] {
    // No room at first, so that it grows wherever it can.
    var buffer = TextBuffer(capacity: 0)
    buffer.append(UInt8(ascii: "<"))
    write(&buffer)
    buffer.append(UInt8(ascii: ">"))
    var text: [UInt8] = []
    buffer.move(to: &text)
    return text
  }

  @Test func `as a JSON string equals that of a simple loop`() {
    for text in Self.texts() {
      var expected = Array("<\"".utf8)
      for byte in text {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): expected += [UInt8(ascii: "\\"), byte]
        case 0x0A: expected += Array("\\n".utf8)
        case 0x0D: expected += Array("\\r".utf8)
        case 0x09: expected += Array("\\t".utf8)
        case 0..<0x20: expected += Array("\\u00\(byte < 16 ? "0" : "1")\(String(byte & 15, radix: 16))".utf8)
        default: expected.append(byte)
        }
      }
      #expect(Self.text { $0.appendJSONString(text.span) } == expected + Array("\">".utf8))
    }
  }

  @Test func `as a CSV field equals that of a simple loop`() {
    for text in Self.texts() {
      let isQuoted = text.isEmpty || text.contains { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
      let quote = isQuoted ? [UInt8(ascii: "\"")] : []
      let inner = text.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }
      let expected = Array("<".utf8) + quote + inner + quote + Array(">".utf8)
      #expect(Self.text { $0.appendCSVField(text.span) } == expected)
    }
  }
}
