import Signatures
import Testing

/// The key and signature of "sample" in the RFC, as parts for wrong signatures.
private struct Sample {
  let curve: Curve
  let key: PublicKey
  let digest: SHA256Digest
  let r: [UInt8]
  let s: [UInt8]

  init(_ curve: Curve) throws {
    let vector = curve == .p256 ? RFC6979Vector.p256[0] : RFC6979Vector.p192[0]
    self.curve = curve
    key = try vector.key.publicKey
    digest = try SignaturesTests.digest(of: vector.message)
    r = Array(vector.signature[..<curve.fieldByteCount])
    s = Array(vector.signature[curve.fieldByteCount...])
  }

  var signature: [UInt8] { element(0x30, integer(r) + integer(s)) }
}

/// An encoding of r and s.
struct Writing: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: @Sendable (_ r: [UInt8], _ s: [UInt8], _ order: [UInt8]) -> [UInt8]

  init(
    _ description: String,
    _ bytes: @escaping @Sendable (_ r: [UInt8], _ s: [UInt8], _ order: [UInt8]) -> [UInt8]
  ) {
    (testDescription, self.bytes) = (description, bytes)
  }

  /// Encodings that are not strict DER, with any integers.
  static let malformed = [
    Writing("nothing") { _, _, _ in [] },
    Writing("raw") { r, s, _ in r + s },
    Writing("a byte after the end") { r, s, _ in element(0x30, integer(r) + integer(s)) + [0] },
    Writing("a byte after s") { r, s, _ in element(0x30, integer(r) + integer(s) + [0]) },
    Writing("a third integer") { r, s, _ in element(0x30, integer(r) + integer(s) + integer([1])) },
    Writing("no s") { r, _, _ in element(0x30, integer(r)) },
    Writing("no integer") { _, _, _ in [0x30, 0x00] },
    Writing("an empty r") { _, s, _ in element(0x30, [0x02, 0x00] + integer(s)) },
    Writing("an empty s") { r, _, _ in element(0x30, integer(r) + [0x02, 0x00]) },
    Writing("a set") { r, s, _ in element(0x31, integer(r) + integer(s)) },
    Writing("an octet string for r") { r, s, _ in element(0x30, [0x04] + integer(r).dropFirst() + integer(s)) },
    Writing("a constructed r") { r, s, _ in element(0x30, [0x22] + integer(r).dropFirst() + integer(s)) },
    Writing("a long sequence length") { r, s, _ in
      let body = integer(r) + integer(s)
      return [0x30, 0x81, UInt8(body.count)] + body
    },
    Writing("a longer sequence length") { r, s, _ in
      let body = integer(r) + integer(s)
      return [0x30, 0x82, 0x00, UInt8(body.count)] + body
    },
    Writing("a long length of r") { r, s, _ in
      element(0x30, [0x02, 0x81] + integer(r).dropFirst() + integer(s))
    },
    Writing("an indefinite length") { r, s, _ in [0x30, 0x80] + integer(r) + integer(s) + [0, 0] },
    Writing("a length of four gigabytes") { r, s, _ in
      [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + integer(r) + integer(s)
    },
    Writing("a length beyond 64 bits") { r, s, _ in
      [0x30, 0x89] + [UInt8](repeating: 0xFF, count: 9) + integer(r) + integer(s)
    },
    Writing("a length that ends the bytes") { _, _, _ in [0x30, 0x82, 0x01] },
    Writing("a padded r") { r, s, _ in element(0x30, element(0x02, [0, 0] + r) + integer(s)) },
    Writing("a padded s") { r, s, _ in element(0x30, integer(r) + element(0x02, [0, 0] + s)) },
    Writing("a padded small s") { r, _, _ in element(0x30, integer(r) + [0x02, 0x02, 0x00, 0x01]) },
    Writing("a padded zero") { r, _, _ in element(0x30, integer(r) + [0x02, 0x02, 0x00, 0x00]) },
    Writing("a padded negative s") { r, _, _ in element(0x30, integer(r) + [0x02, 0x02, 0xFF, 0x80]) },
  ]

  /// Strict DER of integers that are not a signature of this digest.
  static let invalid = [
    Writing("r = 0") { _, s, _ in element(0x30, [0x02, 0x01, 0x00] + integer(s)) },
    Writing("s = 0") { r, _, _ in element(0x30, integer(r) + [0x02, 0x01, 0x00]) },
    Writing("both 0") { _, _, _ in hex("3006020100020100") },
    Writing("r = n") { _, s, order in element(0x30, integer(order) + integer(s)) },
    Writing("s = n") { r, _, order in element(0x30, integer(r) + integer(order)) },
    Writing("r + n") { r, s, order in element(0x30, integer(sum(r, order)) + integer(s)) },
    Writing("s + n") { r, s, order in element(0x30, integer(r) + integer(sum(s, order))) },
    Writing("r = -1") { _, s, _ in element(0x30, [0x02, 0x01, 0xFF] + integer(s)) },
    Writing("s = -128") { r, _, _ in element(0x30, integer(r) + [0x02, 0x01, 0x80]) },
    Writing("a negative r of full size") { r, s, _ in
      element(0x30, element(0x02, [0x80] + r.dropFirst()) + integer(s))
    },
    Writing("an s of 100 bytes") { r, _, _ in
      element(0x30, integer(r) + element(0x02, [UInt8](repeating: 0x7F, count: 100)))
    },
    Writing("n - r") { r, s, order in element(0x30, integer(difference(order, r)) + integer(s)) },
    Writing("r and s swapped") { r, s, _ in element(0x30, integer(s) + integer(r)) },
  ]
}

struct SignatureTests {
  @Test(arguments: Writing.malformed, Curve.allCases)
  func `a signature that is not strict DER is malformed`(_ writing: Writing, _ curve: Curve) throws {
    let sample = try Sample(curve)
    let bytes = writing.bytes(sample.r, sample.s, curve.order)
    #expect(try sample.key.verdict(on: bytes, of: sample.digest) == .malformed)
  }

  @Test(arguments: Writing.invalid, Curve.allCases)
  func `strict DER of the wrong integers is invalid`(_ writing: Writing, _ curve: Curve) throws {
    let sample = try Sample(curve)
    let bytes = writing.bytes(sample.r, sample.s, curve.order)
    #expect(try sample.key.verdict(on: bytes, of: sample.digest) == .invalid)
  }

  @Test(arguments: Curve.allCases)
  func `both s and n − s verify`(_ curve: Curve) throws {
    let sample = try Sample(curve)
    let other = element(0x30, integer(sample.r) + integer(difference(curve.order, sample.s)))
    #expect(other != sample.signature)
    #expect(try sample.key.verdict(on: sample.signature, of: sample.digest) == .valid)
    #expect(try sample.key.verdict(on: other, of: sample.digest) == .valid)
  }

  @Test(arguments: Curve.allCases)
  func `a truncated signature is malformed`(_ curve: Curve) throws {
    let sample = try Sample(curve)
    for count in 0..<sample.signature.count {
      #expect(try sample.key.verdict(on: Array(sample.signature[..<count]), of: sample.digest) == .malformed)
    }
  }

  @Test(arguments: Curve.allCases)
  func `every flipped bit invalidates a signature`(_ curve: Curve) throws {
    let sample = try Sample(curve)
    for bit in 0..<sample.signature.count * 8 {
      var bytes = sample.signature
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(try sample.key.verdict(on: bytes, of: sample.digest) != .valid)
    }
  }

  @Test(arguments: Curve.allCases)
  func `another key's signature is invalid`(_ curve: Curve) throws {
    let sample = try Sample(curve)
    let signature = try SigningKey(random: curve).sign(sample.digest)
    #expect(try sample.key.verdict(on: signature, of: sample.digest) == .invalid)
  }

  @Test(arguments: Curve.allCases)
  func `a raw signature of another length is malformed`(_ curve: Curve) throws {
    let sample = try Sample(curve)
    let raw = sample.r + sample.s
    #expect(try sample.key.verdict(on: raw, as: .raw, of: sample.digest) == .valid)
    for wrong in [[], Array(raw.dropLast()), raw + [0], [0] + raw, raw + raw, sample.signature] {
      #expect(try sample.key.verdict(on: wrong, as: .raw, of: sample.digest) == .malformed)
    }
  }

  @Test(arguments: Curve.allCases)
  func `a raw signature of integers out of range is invalid`(_ curve: Curve) throws {
    let sample = try Sample(curve)
    let zero = [UInt8](repeating: 0, count: curve.fieldByteCount)
    let largest = [UInt8](repeating: 0xFF, count: curve.fieldByteCount)
    for (r, s) in [(zero, sample.s), (sample.r, zero), (zero, zero), (curve.order, sample.s), (largest, largest)] {
      #expect(try sample.key.verdict(on: r + s, as: .raw, of: sample.digest) == .invalid)
    }
  }

  /// With the private key 1, r = n − e makes u1 G + u2 Q the point at infinity, which libcrypto reports as its own error.
  @Test(arguments: Curve.allCases)
  func `a signature that leads to the point at infinity is invalid`(_ curve: Curve) throws {
    let digest = try digest(of: "sample")
    let one = [UInt8](repeating: 0, count: curve.fieldByteCount - 1) + [1]
    let key = try #require(try SigningKey(curve: curve, scalar: one.span)).publicKey
    let r = difference(curve.order, Array(digest.array.prefix(curve.fieldByteCount)))
    #expect(try key.verdict(on: r + one, as: .raw, of: digest) == .invalid)
    #expect(try key.verdict(on: element(0x30, integer(r) + integer(one)), of: digest) == .invalid)
  }
}
