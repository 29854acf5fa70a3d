import Foundation
import Signatures
import Testing

struct PublicKeyTests {
  private static let ecPublicKey = hex("2A8648CE3D0201")
  private static let secp256r1 = hex("2A8648CE3D030107")

  /// A SubjectPublicKeyInfo with the parts given, those of the RFC's P-256 key by default.
  private static func info(
    algorithm: [UInt8] = element(0x06, ecPublicKey),
    parameters: [UInt8] = element(0x06, secp256r1),
    unusedBits: UInt8 = 0,
    point: [UInt8] = [0x04] + RFC6979Vector.p256[0].point,
    rest: [UInt8] = []
  ) -> [UInt8] {
    element(0x30, element(0x30, algorithm + parameters) + element(0x03, [unusedBits] + point) + rest)
  }

  private static let x = Array(RFC6979Vector.p256[0].point[..<32])
  private static let y = Array(RFC6979Vector.p256[0].point[32...])

  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let error: KeyError

    init(_ description: String, _ bytes: [UInt8], _ error: KeyError) {
      (testDescription, self.bytes, self.error) = (description, bytes, error)
    }
  }

  static let refusals = [
    Refusal("nothing", [], .notDER),
    Refusal("text", Array("-----BEGIN PUBLIC KEY-----".utf8), .notDER),
    Refusal("a bare point", [0x04] + x + y, .notDER),
    Refusal("an empty sequence", [0x30, 0x00], .notDER),
    Refusal("a truncated key", info().dropLast(), .notDER),
    Refusal("a length in more bytes than it takes", [0x30, 0x81, 0x59] + info().dropFirst(2), .notDER),
    Refusal("an indefinite length", [0x30, 0x80] + info().dropFirst(2) + [0, 0], .notDER),
    Refusal("unused bits in the point", info(unusedBits: 1), .notDER),
    Refusal("an element after the point", info(rest: [0x05, 0x00]), .notDER),
    Refusal("an element after the curve", info(parameters: element(0x06, secp256r1) + [0x05, 0x00]), .notDER),
    Refusal("a byte after the key", info() + [0], .trailingBytes),
    Refusal("two keys", info() + info(), .trailingBytes),
    Refusal(
      "RSA",
      info(algorithm: element(0x06, hex("2A864886F70D010101")), parameters: [0x05, 0x00]),
      .otherAlgorithm
    ),
    Refusal("Ed25519", hex("302A300506032B6570032100") + x, .otherAlgorithm),
    Refusal("P-384", info(parameters: element(0x06, hex("2B81040022")), point: [0x04] + x + x + y), .otherCurve),
    Refusal("secp256k1", info(parameters: element(0x06, hex("2B8104000A"))), .otherCurve),
    Refusal("explicit parameters", info(parameters: element(0x30, [0x02, 0x01, 0x01])), .otherCurve),
    Refusal("inherited parameters", info(parameters: [0x05, 0x00]), .otherCurve),
    Refusal("no parameters", info(parameters: []), .otherCurve),
    Refusal("an edited y", info(point: [0x04] + x + y.dropLast() + [y[31] ^ 1]), .notOnCurve(.p256)),
    Refusal("x and y swapped", info(point: [0x04] + y + x), .notOnCurve(.p256)),
    Refusal("coordinates above p", info(point: [0x04] + [UInt8](repeating: 0xFF, count: 64)), .notOnCurve(.p256)),
    Refusal("no point", info(point: []), .notOnCurve(.p256)),
    Refusal("the point at infinity", info(point: [0x00]), .notOnCurve(.p256)),
    Refusal("zeros", info(point: [0x04] + [UInt8](repeating: 0, count: 64)), .notOnCurve(.p256)),
    Refusal("a point too short", info(point: [0x04] + x + y.dropLast()), .notOnCurve(.p256)),
    Refusal("a point too long", info(point: [0x04] + x + y + [0]), .notOnCurve(.p256)),
    Refusal("the hybrid form", info(point: [0x07] + x + y), .notOnCurve(.p256)),
    Refusal("P-192's point", info(point: [0x04] + RFC6979Vector.p192[0].point), .notOnCurve(.p256)),
    Refusal(
      "P-256's point on P-192",
      info(parameters: element(0x06, hex("2A8648CE3D030101"))),
      .notOnCurve(.p192)
    ),
  ]

  @Test(arguments: refusals)
  func `a key of another kind is refused with the reason`(_ refusal: Refusal) {
    #expect(throws: refusal.error) { try PublicKey(refusal.bytes) }
  }

  @Test(arguments: [KeyError.notDER, .trailingBytes, .otherAlgorithm, .otherCurve, .notOnCurve(.p192)])
  func `a reason is a sentence about the key`(_ error: KeyError) {
    #expect("\(error)".hasPrefix("the key"))
  }

  @Test func `a truncated key is refused`() {
    let key = Self.info()
    for count in 0..<key.count {
      #expect(throws: KeyError.notDER) { try PublicKey(Array(key[..<count])) }
    }
  }

  @Test func `a compressed point is the same key`() throws {
    let vector = RFC6979Vector.p256[0]
    let parity: UInt8 = (Self.y[31] & 1) + 0x02
    let key = try PublicKey(Self.info(point: [parity] + Self.x))
    let opposite = try PublicKey(Self.info(point: [parity ^ 1] + Self.x))
    #expect(try key.verdict(on: vector.signature, as: .raw, of: digest(of: vector.message)) == .valid)
    #expect(try opposite.verdict(on: vector.signature, as: .raw, of: digest(of: vector.message)) == .invalid)
  }

  @Test(arguments: Curve.allCases)
  func `the public key of a signing key can be written and read`(_ curve: Curve) throws {
    #expect(try SigningKey(random: curve).publicKey.curve == curve)
  }

  @Test(arguments: [
    (
      Curve.p256,
      """
      MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg==
      """
    ),
    (
      Curve.p192, "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG"
    ),
  ])
  func `Apple's published keys are read`(_ curve: Curve, _ base64: String) throws {
    let bytes = try #require(Data(base64Encoded: base64))
    #expect(try PublicKey(Array(bytes)).curve == curve)
  }
}
