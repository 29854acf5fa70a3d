import Base
import JSON
import PostbackVerification
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@testable import Tampering

@Suite struct `The r of a signature in a raw record` {
  /// The r of a record, as the parser of diagnoses reads it.
  private func expected(_ record: [UInt8]) throws -> SignatureR? {
    let signatures = try #require(ArrivedPostback(record)?.signatures)
    return signatures.first.flatMap { SignatureR($0.raw.span, as: .raw) }
  }

  private func values(_ record: [UInt8]) -> [SignatureR] {
    var scan = SignatureScan()
    return scan.values(in: record.span)
  }

  @Test func `is that of Apple's postbacks, with and without envelope`() throws {
    for real in RealPostback.all {
      let r = try #require(try expected(real.bytes))
      #expect(values(real.bytes) == [r])
      #expect(values(Array("{\"body\":\(real.object.text),\"forwarder\":\"x\"}".utf8)) == [r])
      let encoded = String(decoding: Base64.standard.encode(real.bytes), as: UTF8.self)
      #expect(values(Array("{\"body_base64\":\"\(encoded)\"}".utf8)) == [r])
    }
  }

  @Test func `is found in every spelling of the record and of the signature`() throws {
    let real = RealPostback.v3
    let r = try #require(try expected(real.bytes))
    let text = try #require(real.object.string("attribution-signature"))
    var der: [UInt8] = []
    #expect(Base64.standard.decode(text.utf8.span, appendingTo: &der))
    let raw = try #require(ArrivedPostback(real.bytes)?.signatures.first?.raw)
    func record(_ signature: String) -> [UInt8] {
      Array(real.object.with(["attribution-signature": "\"\(signature)\""]).text.utf8)
    }
    let hexadecimal = der.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let spellings = [
      text.replacing("/", with: "\\/"), text.replacing("+", with: "-").replacing("/", with: "_"),
      text.replacing("=", with: ""), text.replacing("+", with: "%2B").replacing("/", with: "%2F"), " \(text)\\n",
      hexadecimal,
      String(decoding: Base64.standard.encode(raw), as: UTF8.self), "\\u00" + "4D" + text.dropFirst(),
      String(decoding: Base64.standard.encode([0x30, 0x81, der[1]] + der[2...]), as: UTF8.self),
    ]
    for spelling in spellings where spelling.first != "\\" || text.first == "M" {
      #expect(values(record(spelling)) == [r], "\(spelling)")
    }
    // The counterpart of the signature has n - s instead of s.
    let other = SignatureForm.der.bytes(ofRaw: Array(raw[..<32]) + [UInt8](repeating: 0x11, count: 32))
    #expect(values(record(String(decoding: Base64.standard.encode(other), as: UTF8.self))) == [r])
    let spaced = "{ \"x\" : \"attribution-signature\" , \"attribution-signature\"  :  \"\(text)\" }"
    #expect(values(Array(spaced.utf8)) == [r])
    let escaped = real.object.text.replacing("attribution-signature", with: "attribution\\u002dsignature")
    #expect(values(Array(escaped.utf8)) == [r])
  }

  @Test func `is not taken from another member`() throws {
    let (real, other) = (RealPostback.v3, RealPostback.v4)
    let decoy = try #require(other.object.string("attribution-signature"))
    let own = try #require(real.object.string("attribution-signature"))
    let r = try #require(try expected(real.bytes))
    for text in [
      "{\"a\":{\"attribution-signature\":\"\(decoy)\"},\"attribution-signature\":\"\(own)\"}",
      "{\"attribution-signature\":\"\(own)\",\"a\":{\"attribution-signature\":\"\(decoy)\"}}",
      "{\"a\":\"\\\"attribution-signature\\\":\\\"\(decoy)\\\"\",\"attribution-signature\":\"\(own)\"}",
    ] { #expect(values(Array(text.utf8)) == [r], "\(text)") }
  }

  @Test(arguments: [
    "", "{}", "[1]", "{\"attribution-signature\":", "{\"attribution-signature\":\"\"}", "{\"jws-string\":\"a.b.c\"}",
  ])
  func `is missing where there is no signature`(_ text: String) { #expect(values(Array(text.utf8)).isEmpty) }
}
