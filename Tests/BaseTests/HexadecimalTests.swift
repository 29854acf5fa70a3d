import Base
import Testing

@Suite struct HexadecimalTests {
  @Test func `all bytes are written as two digits and read again`() {
    let bytes = (0...255).map { UInt8($0) }
    var text: [UInt8] = []
    text.appendHexadecimal(bytes.span)
    #expect(String(decoding: text.suffix(4), as: UTF8.self) == "feff")
    #expect([UInt8](hexadecimal: text) == bytes)
    #expect([UInt8](hexadecimal: String(decoding: text, as: UTF8.self).uppercased().utf8) == bytes)
  }

  @Test func `a word is written as sixteen digits`() {
    var text: [UInt8] = []
    text.append(addingCapacity: 16) { $0.append(hexadecimal: 0x0123_4567_89AB_CDEF as UInt64) }
    #expect(String(decoding: text, as: UTF8.self) == "0123456789abcdef")
  }

  @Test(arguments: ["0", "0g", "+1", "-0", " 0", "0x10", "٠٠"])
  func `other text is refused`(_ text: String) {
    #expect([UInt8](hexadecimal: text.utf8) == nil)
  }
}
