import Base
import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@testable import PostbackVerification

@Suite struct `The r of a signature` {
  /// r, then s, of a signature whose r begins with bytes of zero.
  private let raw = [UInt8](repeating: 0, count: 2) + (1...30) + [UInt8](repeating: 0xAA, count: 32)

  private func r(_ bytes: [UInt8], _ form: SignatureForm = .der) -> UInt64? { SignatureR(bytes.span, as: form)?.bits }

  @Test func `is the same in every encoding`() {
    let bits: UInt64 = 0x01_02_03_04_05_06_07_08
    let number = Array(raw[2..<32])
    let s = Array(raw[32...])
    #expect(r(raw, .raw) == bits)
    #expect(r(SignatureForm.der.bytes(ofRaw: raw)) == bits)
    // With surplus zeros, and with lengths in more bytes than they need.
    #expect(r([0x30, 68, 0x02, 32, 0, 0] + number + [0x02, 32] + s) == bits)
    #expect(r([0x30, 0x81, 68, 0x02, 32, 0, 0] + number + [0x02, 32] + s) == bits)
    #expect(r([0x30, 0x82, 0, 69, 0x02, 0x81, 32, 0, 0] + number + [0x02, 32] + s) == bits)
    // With another s, as in the counterpart n − s.
    #expect(r(SignatureForm.der.bytes(ofRaw: Array(raw[..<32]) + [UInt8](repeating: 0x55, count: 32))) == bits)
  }

  @Test func `is nil where there is none`() {
    let texts: [[UInt8]] = [
      [], [0x30], [0x30, 6, 0x02], [0x30, 6, 0x02, 1], [0x30, 6, 0x03, 1, 1, 2, 1, 1], [0x30, 0xFF, 0x02, 1, 1],
      [0x30, 6, 0x02, 0xFF, 1], [0x30, 6, 0x02, 1, 0],
    ]
    for text in texts { #expect(r(text) == nil, "\(text)") }
    #expect(r([], .raw) == nil)
    #expect(r([UInt8](repeating: 0, count: 64), .raw) == nil)
  }

  @Test(arguments: [1, 0x7F, 0x80, 0x0102_0304_0506_0708, 0xFFFF_FFFF_FFFF_FFFE, 0x8000_0000_0000_0000] as [UInt64])
  func `is written as 11 digits, which are read again`(_ bits: UInt64) throws {
    var text: [UInt8] = []
    text.append(addingCapacity: SignatureR.length) { SignatureR(bits: bits).write(to: &$0) }
    var bytes: [UInt8] = []
    #expect(Base64.url.decode(text.span, appendingTo: &bytes))
    let bigEndian = (0..<8).map { (place: UInt64) in UInt8(truncatingIfNeeded: bits >> (56 - 8 * place)) }
    #expect(bytes == bigEndian)
    #expect(SignatureR(written: text.span)?.bits == bits)
    for place in text.indices {
      var other = text
      other[place] = UInt8(ascii: "+")
      #expect(SignatureR(written: other.span) == nil)
    }
    let short = Array(text.dropLast())
    #expect(SignatureR(written: short.span) == nil)
  }

  @Test func `of accepted postbacks is that of their signatures`() throws {
    for real in RealPostback.all where ["valid", "valid_zero_filled", "development"].contains(real.signatureState) {
      var parser = PostbackParser()
      var bytes = real.bytes + [UInt8](repeating: 0, count: JSONParser.padding)
      let postback = try parser.parse(real.bytes.indices, of: &bytes)
      var verifier = try SignatureVerifier(try TrustPolicy.apple())
      let verification = try verifier.verify(postback, of: bytes)
      var decoded: [UInt8] = []
      var expected: UInt64?
      switch postback.signature {
      case .attribution(let text):
        #expect(Base64.standard.decode(bytes.span.extracting(text.indices), appendingTo: &decoded))
        // Tag and length of the sequence and of r, and the zero before a high bit.
        let start = decoded[4] == 0 ? 5 : 4
        expected = decoded[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
      case .jws(let jws):
        #expect(Base64.url.decode(bytes.span.extracting(jws.signature.indices), appendingTo: &decoded))
        expected = decoded[..<8].reduce(0) { $0 << 8 | UInt64($1) }
      }
      #expect(verification.accepted?.r?.bits == expected, "\(real)")
    }
  }
}
