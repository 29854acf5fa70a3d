import Base
import Testing

@testable import SKAdNetwork

@Suite struct `Base64 in the encodings of others` {
  /// Its base64 has all digits that others write differently: `+`, `/` and padding.
  private static let bytes: [UInt8] = [0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFF, 0x01]

  @Test(arguments: [
    "++++////AQ==", "----____AQ", "++++////AQ", "++++////AQ=", "++++////AQ===", "++ +////AQ==", " ++++////AQ== ",
    "++++\r\n////\tAQ==\n",
  ]) func `has the bytes that it stands for`(_ text: String) {
    #expect(Base64.standard.decoded(text.utf8) == Self.bytes)
    #expect(Base64.standard.canonical(text.utf8) == Array("++++////AQ==".utf8))
    #expect(Base64.url.canonical(text.utf8) == Array("----____AQ".utf8))
  }

  @Test(arguments: ["+++", "AQ=A", "é", "A", "AR", "++++,///"]) func `is none where bits are missing or left over`(
    _ text: String
  ) {
    #expect(Base64.standard.decoded(text.utf8) == nil)
  }
}
