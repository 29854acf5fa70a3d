import Base
import Testing

@Suite struct SipHashTests {
  /// The values are those of `openssl mac -macopt hexkey:000102…0f -macopt size:8 SIPHASH`, read with the least significant
  /// byte first. The last one is in the paper.
  @Test func `agrees with libcrypto and the paper`() {
    let expected: [Int: UInt64] = [
      0: 0x726F_DB47_DD0E_0E31, 1: 0x74F8_39C5_93DC_67FD, 8: 0x93F5_F579_9A93_2462, 15: 0xA129_CA61_49BE_45E5,
    ]
    let hash = SipHash(key: 0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
    for (count, value) in expected {
      let message = Array(UInt8(0)..<UInt8(count))
      #expect(hash.hash(of: message.span) == value)
    }
  }

  @Test(arguments: [0, 1, 7, 8, 30]) func `hashes words before the message as their bytes`(count: Int) {
    let hash = SipHash(key: 1, 2)
    let message = Array(UInt8(0)..<UInt8(40 + count))
    func word(_ start: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(message[start + $1]) << UInt64(8 * $1) } }
    let words = (word(0), word(8), word(16), word(24), word(32))
    #expect(hash.hash(of: words, Array(message[40...]).span) == hash.hash(of: message.span))
  }
}
