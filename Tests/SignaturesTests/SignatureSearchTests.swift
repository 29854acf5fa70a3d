import Testing

@testable import Signatures

@Suite struct `Search for the signed digest` {
  @Test(arguments: Curve.allCases) func `finds the signed digest for any of the keys, also with n - s`(
    _ curve: Curve
  ) throws {
    let generator = try Generator(of: curve)
    let keys = try (0..<3).map { try SigningKey(curve: curve, scalarFrom: Self.digest($0)) }
    let publicKeys = try keys.map { try Self.publicKey($0) }
    for (index, key) in keys.enumerated() {
      let place = 20 * index + 3
      let digest = try Self.digest(place)
      for raw in try [key.sign(digest, as: .raw), Self.withOtherS(key.sign(digest, as: .raw), curve)] {
        #expect(try Self.first(0..<80, raw, publicKeys, generator) == place)
        #expect(try Self.first(place + 1..<80, raw, publicKeys, generator) == nil)
        let marks = try Self.marks(raw, publicKeys, generator)
        #expect(try marks.contains(generator.mark(of: digest)))
        #expect(try !marks.contains(generator.mark(of: Self.digest(place + 1))))
      }
    }
  }

  @Test(arguments: Curve.allCases) func `finds nothing for another key's signature`(_ curve: Curve) throws {
    let generator = try Generator(of: curve)
    let ours = try SigningKey(curve: curve, scalarFrom: Self.digest(0))
    let other = try SigningKey(curve: curve, scalarFrom: Self.digest(1))
    let key = try Self.publicKey(ours)
    let signature = try other.sign(Self.digest(5), as: .raw)
    #expect(try Self.first(0..<20, signature, [key], generator) == nil)
    #expect(try Self.first(0..<0, signature, [key], generator) == nil)
  }

  @Test(arguments: Curve.allCases) func `refuses at once a signature that no digest can have`(_ curve: Curve) throws {
    let generator = try Generator(of: curve)
    let signer = try SigningKey(curve: curve, scalarFrom: Self.digest(0))
    let key = try Self.publicKey(signer)
    let size = curve.fieldByteCount
    let one = [UInt8](repeating: 0, count: size - 1) + [1]
    let zero = [UInt8](repeating: 0, count: size)
    let large = [UInt8](repeating: 0xFF, count: size)
    for raw in [zero + one, one + zero, large + one, one + large, [UInt8](one.dropLast())] {
      #expect(throws: NoSearch.self) { try Self.first(0..<1, raw, [key], generator) }
    }
    // About every second number is no point's x.
    let count = (1...64).count { number in
      (try? Self.marks(zero.dropLast() + [UInt8(number)] + one, [key], generator)) == nil
    }
    #expect((16...48).contains(count))
  }

  @Test func `finds exactly what verification accepts`() throws {
    for curve in Curve.allCases {
      let generator = try Generator(of: curve)
      let signer = try SigningKey(curve: curve, scalarFrom: Self.digest(0))
      let key = try Self.publicKey(signer)
      for number in 0..<20 {
        let signature = try signer.sign(Self.digest(number), as: .raw)
        for other in 0..<20 {
          let digest = try Self.digest(other)
          let isFound = try Self.first(other..<other + 1, signature, [key], generator) != nil
          #expect(try isFound == (key.verify(signature.span, as: .raw, of: digest) == .valid))
        }
      }
    }
  }

  private struct NoSearch: Error {}

  private static func publicKey(_ key: SigningKey) throws -> PublicKey {
    let info = key.subjectPublicKeyInfo
    return try PublicKey(subjectPublicKeyInfo: info.span)
  }

  /// The index of the first digest that is found.
  private static func first(
    _ numbers: Range<Int>,
    _ signature: [UInt8],
    _ keys: [PublicKey],
    _ generator: Generator
  ) throws -> Int? {
    let digests = try digests(numbers)
    return try search(signature, keys, generator).first(in: digests.span).map { numbers.lowerBound + $0 }
  }

  private static func marks(
    _ signature: [UInt8],
    _ keys: [PublicKey],
    _ generator: Generator
  ) throws -> [SignatureMark] {
    try search(signature, keys, generator).marks
  }

  private static func search(
    _ signature: [UInt8],
    _ keys: [PublicKey],
    _ generator: Generator
  ) throws -> SignatureSearch {
    guard let search = try SignatureSearch(of: signature.span, by: keys, with: generator) else { throw NoSearch() }
    return search
  }

  private static func digest(_ number: Int) throws -> SHA256Digest {
    var hash = try SHA256()
    return try hash.digest(of: Array("digest \(number)".utf8).span)
  }

  private static func digests(_ numbers: Range<Int>) throws -> [UInt8] {
    try numbers.flatMap { number in
      let bytes = try digest(number).bytes
      return bytes.indices.map { bytes[$0] }
    }
  }

  /// The signature with n - s.
  private static func withOtherS(_ signature: [UInt8], _ curve: Curve) -> [UInt8] {
    let size = curve.fieldByteCount
    return signature.prefix(size) + (-Scalar(curve, signature.suffix(size))).bytes
  }
}
