import DurableFiles
import TestSupport
import Testing

@Suite struct `A checksum` {
  @Test func `of nine digits is the check value of CRC-32, and of no bytes 0`() {
    #expect(CRC32(of: Array("123456789".utf8)).value == 0xCBF4_3926)
    #expect(CRC32(of: []).value == 0)
  }

  @Test func `of pieces, empty ones too, equals that of the whole, however it is put together`() {
    var random = SplitMix(seed: 3)
    let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    for cut in [0, 1, 7, 8, 63, 64, 4095, 99_999, 100_000] {
      let (head, tail) = (bytes.span.extracting(first: cut), bytes.span.extracting(droppingFirst: cut))
      var updated = CRC32()
      updated.update(head)
      updated.update(tail)
      #expect(updated == CRC32(of: bytes))
      var combined = CRC32()
      combined.append(CRC32(of: Array(bytes[..<cut])).value, byteCount: cut)
      combined.append(CRC32(of: Array(bytes[cut...])).value, byteCount: bytes.count - cut)
      #expect(combined == CRC32(of: bytes))
    }
  }
}
