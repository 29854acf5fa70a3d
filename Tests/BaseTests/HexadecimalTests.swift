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

  @Test func `sixteen digits in lower case are read as a word, and no other bytes`() {
    func word(_ bytes: [UInt8]) -> UInt64? { UInt64(hexadecimal: bytes.span) }
    let digits = Array("0123456789abcdef".utf8)
    for (text, number) in [
      ("0123456789abcdef", 0x0123_4567_89AB_CDEF), ("ffffffffffffffff", .max),
      ("fedcba9876543210", 0xFEDC_BA98_7654_3210),
    ] as [(String, UInt64)] {
      #expect(word(Array(text.utf8)) == number)
    }
    for place in 0..<16 {
      for byte in UInt8.min ... .max {
        var text = digits
        text[place] = byte
        let value = digits.firstIndex(of: byte).map { UInt64($0) }
        let shift = UInt64(4 * (15 - place))
        let expected = value.map { 0x0123_4567_89AB_CDEF & ~(15 << shift) | $0 << shift }
        #expect(word(text) == expected, "byte \(byte) at \(place)")
      }
    }
    #expect(word(digits.dropLast()) == nil)
    #expect(word(digits + [48]) == nil)
  }

  @Test(arguments: ["0", "0g", "+1", "-0", " 0", "0x10", "٠٠"])
  func `other text is refused`(_ text: String) {
    #expect([UInt8](hexadecimal: text.utf8) == nil)
  }
}
