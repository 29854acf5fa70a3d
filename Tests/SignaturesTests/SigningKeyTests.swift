import Signatures
import Testing

/// A key and signatures of RFC 6979, appendices A.2.3 and A.2.5, with SHA-256.
struct RFC6979Vector: Sendable, CustomTestStringConvertible {
  let curve: Curve
  let scalar: [UInt8]
  let point: [UInt8]
  let message: String
  let signature: [UInt8]

  var testDescription: String { "\(curve.name), \(message)" }

  var key: SigningKey { get throws { try #require(try SigningKey(curve: curve, scalar: scalar.span)) } }

  static let p192 = [
    ("sample", "4B0B8CE98A92866A2820E20AA6B75B56382E0F9BFD5ECB55 CCDB006926EA9565CBADC840829D8C384E06DE1F1E381B85"),
    ("test", "3A718BD8B4926C3B52EE6BBE67EF79B18CB6EB62B1AD97AE 5662E6848A4A19B1F1AE2F72ACD4B8BBE50F1EAC65D9124F"),
  ].map { message, signature in
    RFC6979Vector(
      curve: .p192,
      scalar: hex("6FAB034934E4C0FC9AE67F5B5659A9D7D1FEFD187EE09FD4"),
      point: hex("AC2C77F529F91689FEA0EA5EFEC7F210D8EEA0B9E047ED56 3BC723E57670BD4887EBC732C523063D0A7C957BC97C1C43"),
      message: message,
      signature: hex(signature)
    )
  }

  static let p256 = [
    (
      "sample",
      """
      EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
      F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
      """
    ),
    (
      "test",
      """
      F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
      019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083
      """
    ),
  ].map { message, signature in
    RFC6979Vector(
      curve: .p256,
      scalar: hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"),
      point: hex(
        """
        60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
        7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
        """
      ),
      message: message,
      signature: hex(signature)
    )
  }
}

struct SigningKeyTests {
  @Test(arguments: RFC6979Vector.p192 + RFC6979Vector.p256)
  func `signatures are those of RFC 6979`(_ vector: RFC6979Vector) throws {
    let key = try vector.key
    let digest = try digest(of: vector.message)
    let half = vector.curve.fieldByteCount
    let der = element(0x30, integer(Array(vector.signature[..<half])) + integer(Array(vector.signature[half...])))
    #expect(try key.sign(digest, as: .raw) == vector.signature)
    #expect(try key.sign(digest, as: .der) == der)
    #expect(key.subjectPublicKeyInfo.suffix(1 + 2 * half) == [0x04] + vector.point)
  }

  @Test(arguments: Curve.allCases, SignatureForm.allCases)
  func `a key's signatures verify in the same form`(_ curve: Curve, _ form: SignatureForm) throws {
    for index in 0..<64 {
      let key =
        try index == 0 ? SigningKey(random: curve) : SigningKey(curve: curve, scalarFrom: digest(of: "\(index)"))
      let (signed, other) = try (digest(of: "postback \(index)"), digest(of: "postback \(index + 1)"))
      let signature = try key.sign(signed, as: form)
      #expect(try key.publicKey.verdict(on: signature, as: form, of: signed) == .valid)
      #expect(try key.publicKey.verdict(on: signature, as: form, of: other) == .invalid)
    }
  }

  @Test(arguments: Curve.allCases)
  func `a seed always gives the same key, and another seed another key`(_ curve: Curve) throws {
    let seed = try digest(of: "seed")
    let key = try SigningKey(curve: curve, scalarFrom: seed)
    let again = try SigningKey(curve: curve, scalarFrom: seed)
    let other = try SigningKey(curve: curve, scalarFrom: digest(of: "another seed"))
    #expect(key.subjectPublicKeyInfo == again.subjectPublicKeyInfo)
    #expect(key.subjectPublicKeyInfo != other.subjectPublicKeyInfo)
  }

  @Test(arguments: Curve.allCases)
  func `random keys differ`(_ curve: Curve) throws {
    let keys = try (0..<8).map { _ in try SigningKey(random: curve).subjectPublicKeyInfo }
    #expect(Set(keys).count == keys.count)
  }

  @Test(arguments: Curve.allCases)
  func `a private scalar is in 1..<n`(_ curve: Curve) throws {
    let one = [UInt8](repeating: 0, count: curve.fieldByteCount - 1) + [1]
    let zero = difference(one, one)
    let last = difference(curve.order, one)
    let order = curve.order
    let short = Array(last.dropLast())
    #expect(try SigningKey(curve: curve, scalar: zero.span) == nil)
    #expect(try SigningKey(curve: curve, scalar: one.span) != nil)
    #expect(try SigningKey(curve: curve, scalar: last.span) != nil)
    #expect(try SigningKey(curve: curve, scalar: order.span) == nil)
    #expect(try SigningKey(curve: curve, scalar: short.span) == nil)
  }

  @Test(arguments: Curve.allCases)
  func `many tasks sign and verify with one key at once`(_ curve: Curve) async throws {
    let key = try SigningKey(curve: curve, scalarFrom: digest(of: "shared"))
    let publicKey = try key.publicKey
    let good = try digest(of: "good")
    let bad = try digest(of: "bad")
    let expected = try key.sign(good)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<32 {
        group.addTask {
          var right = 0
          for _ in 0..<25 {
            let signature = try key.sign(good)
            let verdicts = try [good, bad].map { try publicKey.verdict(on: signature, of: $0) }
            if signature == expected && verdicts == [.valid, .invalid] { right += 1 }
          }
          return right
        }
      }
      let right = try await group.reduce(0, +)
      #expect(right == 32 * 25)
    }
  }
}
