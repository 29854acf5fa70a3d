import Signatures
import Testing

/// A signature that is an edge case of verification.
struct Edge: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let key: PublicKey
  let digest: SHA256Digest
  /// r, then s.
  let signature: [UInt8]
  let verdict: SignatureVerdict

  private init(
    _ description: String,
    _ key: PublicKey,
    _ digest: SHA256Digest,
    _ signature: [UInt8],
    _ verdict: SignatureVerdict
  ) {
    testDescription = "\(key.curve.name): \(description)"
    (self.key, self.digest, self.signature, self.verdict) = (key, digest, signature, verdict)
  }

  /// All edge cases of a curve.
  static func all(on curve: Curve) throws -> [Edge] {
    try chosen(curve) + equations(curve) + ranges(curve)
      + abscissas.filter { $0.curve == curve }.flatMap { try edges(of: $0) }
  }

  /// Valid signatures with s chosen: nonce k, r = (k G).x, and from s k = e + r d follows the digest.
  private static func chosen(_ curve: Curve) throws -> [Edge] {
    let one = Scalar(curve, 1)
    let arbitrary = try Scalar(curve, digestOf: "arbitrary")
    var edges: [Edge] = []
    for (name, d) in [("1", one), ("2", one + one), ("n-1", -one), ("arbitrary", arbitrary)] {
      let key = try d.key.publicKey
      let k = arbitrary + one
      let r = try k.x
      for (value, s) in [("1", one), ("2", one + one), ("n-1", -one), ("n-2", -one - one), ("r", r), ("-r", -r)] {
        let e = s * k - r * d
        edges.append(Edge("d = \(name), s = \(value)", key, e.digest, r.bytes + s.bytes, .valid))
        let beyond = sum(curve.order, s.bytes)
        if beyond[0] == 0 {
          let signature = r.bytes + beyond.dropFirst()
          edges.append(Edge("d = \(name), s = n+\(value)", key, e.digest, signature, .invalid))
        }
        edges.append(Edge("d = \(name), s = \(value), e + 1", key, (e + one).digest, r.bytes + s.bytes, .invalid))
      }
    }
    return edges
  }

  /// Signatures with a special sum u1 G + u2 Q: of equal points, of opposite points, or with the point at infinity.
  private static func equations(_ curve: Curve) throws -> [Edge] {
    let one = Scalar(curve, 1)
    let zero = Scalar(curve, 0)
    let t = try Scalar(curve, digestOf: "t")
    let c = try Scalar(curve, digestOf: "c")
    let d = t * c
    let key = try d.key.publicKey
    let r = try (t + t).x
    var edges = [
      Edge("u1 G = u2 Q", key, (r * d).digest, r.bytes + (r * c).bytes, .valid),
      Edge("u1 G = -u2 Q", key, (-(r * d)).digest, r.bytes + (r * c).bytes, .invalid),
      Edge("u1 G = -u2 Q, s = 1", key, (-(r * d)).digest, r.bytes + one.bytes, .invalid),
      Edge("u1 G = -u2 Q, r = 1", key, (-d).digest, one.bytes + c.bytes, .invalid),
    ]
    for (name, e) in [("0", zero.bytes), ("n", curve.order)] {
      let digest = SHA256Digest(InlineArray { $0 < e.count ? e[$0] : 0xFF })
      let signature = try d.key.sign(digest, as: .raw)
      edges.append(Edge("u1 = 0, e = \(name)", key, digest, signature, .valid))
      edges.append(
        Edge("u1 = 0, e = \(name), another r", key, digest, r.bytes + signature.suffix(r.bytes.count), .invalid)
      )
    }
    let u1IsOne = try ((t - one) * c).key.publicKey
    let u1IsLast = try ((t + one) * c).key.publicKey
    let x = try t.x
    edges.append(Edge("u1 = 1", u1IsOne, (x * c).digest, x.bytes + (x * c).bytes, .valid))
    edges.append(Edge("u1 = n-1", u1IsLast, (-(x * c)).digest, x.bytes + (x * c).bytes, .valid))
    return edges
  }

  /// A valid signature with r or s replaced by a number just inside or just outside the range.
  private static func ranges(_ curve: Curve) throws -> [Edge] {
    let signer = try SigningKey(curve: curve, scalarFrom: SignaturesTests.digest(of: "ranges"))
    let (key, digest) = try (signer.publicKey, SignaturesTests.digest(of: "sample"))
    let good = try signer.sign(digest, as: .raw)
    let (r, s) = (Array(good.prefix(curve.fieldByteCount)), Array(good.suffix(curve.fieldByteCount)))
    let one = Scalar(curve, 1)
    let values = [
      ("0", Scalar(curve, 0).bytes), ("1", one.bytes), ("2", (one + one).bytes), ("n-1", (-one).bytes),
      ("n", curve.order), ("n+1", Array(sum(curve.order, one.bytes).dropFirst())),
      ("all ones", [UInt8](repeating: 0xFF, count: curve.fieldByteCount)),
    ]
    var edges = [
      Edge("good", key, digest, good, .valid),
      Edge("n-s", key, digest, r + difference(curve.order, s), .valid),
      Edge("n-r", key, digest, difference(curve.order, r) + s, .invalid),
      Edge("swapped", key, digest, s + r, .invalid),
    ]
    for (name, value) in values {
      edges.append(Edge("r = \(name)", key, digest, value + s, .invalid))
      edges.append(Edge("s = \(name)", key, digest, r + value, .invalid))
      for (other, second) in values {
        edges.append(Edge("r = \(name), s = \(other)", key, digest, value + second, .invalid))
      }
    }
    return edges
  }

  /// A key made for a signature: R has the x that is wanted, r is it modulo n, s is arbitrary, and Q = (s R - e G) / r
  /// where e is the digest of the text.
  private typealias Abscissa = (curve: Curve, text: String, point: String, signature: String)

  private static func edges(of abscissa: Abscissa) throws -> [Edge] {
    let element = { (tag: UInt8, content: [UInt8]) in SignaturesTests.element(tag, content) }
    let name = hex(abscissa.curve == .p256 ? "2A8648CE3D030107" : "2A8648CE3D030101")
    let algorithm = element(0x30, element(0x06, hex("2A8648CE3D0201")) + element(0x06, name))
    let key = try PublicKey(element(0x30, algorithm + element(0x03, [0x00, 0x04] + hex(abscissa.point))))
    let digest = try SignaturesTests.digest(of: abscissa.text)
    let signature = hex(abscissa.signature)
    let size = abscissa.curve.fieldByteCount
    let beyond = sum(abscissa.curve.order, Array(signature.prefix(size)))
    var edges = [Edge(abscissa.text, key, digest, signature, .valid)]
    if beyond[0] == 0 {
      edges.append(Edge("\(abscissa.text), r + n", key, digest, beyond.dropFirst() + signature.suffix(size), .invalid))
    }
    return edges
  }

  private static let abscissas: [Abscissa] = [
    (
      .p192, "the first x beyond n",
      "B58F7039D420F370F7AFE47C4A72E3B0F0E0840C14AF6BE2 213B6126E9B8A011B716152094CAB963CD3BC16A647F19BA",
      "000000000000000000000000000000000000000000000007 78E510617311D8A3C2CE6F447ED4D57B1E2FEB89414C343D"
    ),
    (
      .p192, "the last x below p",
      "660283A6CC8B147851B88113DE0169DA0DDAC2DE6E92C363 5BED7607D85A52C100E0787FD41D6AF587140B3287B48ADA",
      "000000000000000000000000662107C8EB94364E4B2DD7CD 7CE42C8218072E8C35BF992DC9E9C616612E7696A6CECC1C"
    ),
    (
      .p192, "an x beyond n",
      "4DA40E2EECB6BD57F25FDCA9A1966F647214974A1BE6A532 8B236106D906CC2E858D8172B629B1492C1890BEA17C33AE",
      "0000000000000000000000000813E268C386BBC4CD613E30 9B810E766EC9D28663CA828DD5F4B3B2E4B06CE60741C7A9"
    ),
    (
      .p192, "the first x of all",
      "4BCCDE784B1F301B97C691AABDADFAD9E69099004FC2FEA2 AD8FB2D1699E8BA51AAC5CFCF9E6A00CC25CBB8F8A21D7B3",
      "000000000000000000000000000000000000000000000002 442E3D437204E52DB2221A58008A05A6C4647159C324C986"
    ),
    (
      .p192, "the first x below n",
      "2C166F86CC4480F1225A780F0EBDDD73FF98AF8459C56E86 E3D2875248B8120B0258C882DA5B94E5DA202363F30A6267",
      "FFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22830 1A2B8F1FF1FD42A29755D4C13A902931CD447E35B8B6D8FF"
    ),
    (
      .p256, "the first x beyond n",
      """
      09659BE5F3984757D152C152683FA2C60F56D73D80CAC080A6856C0A4FA41FEF
      32BC7D277F3E78E43DC227909860B9A32FF5D554E5B5C70B000DCD9DB8FE9788
      """,
      """
      0000000000000000000000000000000000000000000000000000000000000003
      AFBD67F9619699CFE1988AD9F06C144A025B413F8A9A021EA648A7DD06839EBA
      """
    ),
    (
      .p256, "the last x below p",
      """
      4C9F1B685BE92D1959CB9F474E1A30CADD9EB14C522FA4BCFE7A9B44B90C5C97
      CD476B55C83F60713E3E845F7CB5196169A0AF2F83C70C533A7C75ACA9CA2C9A
      """,
      """
      000000000000000000000000000000004319055358E8617B0C46353D039CDAAB
      C381E88F38C0C8FD8712B8BC076F3787B9D179E06C0FD4F5F8130C4237730EE0
      """
    ),
    (
      .p256, "an x beyond n",
      """
      9EF39A156024743F733E37DA4FA5710CECE1ABF878ED6BCBBDEEC341C7FB47E3
      69AD3182D26E71E5092DFB1779A566A7E48380B294B99D6AFF9034CC5FA9C9A6
      """,
      """
      0000000000000000000000000000000002DB737107D4BEDC51431193E6C3F33B
      AD45F23D3B1A11DF587FD2803BAB6C398D88348A7EED8D14F06D3FEF701966A1
      """
    ),
    (
      .p256, "the first x of all",
      """
      9BC3ECE9C494095134337CF45F78A2CEFBC41B3C392022BE99D59C03C82CE740
      5D96212DF8C7DA40B47820B16DEC71D7320F32DF0DA226195841694564CED8AB
      """,
      """
      0000000000000000000000000000000000000000000000000000000000000005
      6A8AC4BA05805975ED2F89D94A2F20AAF3C64AF775A89294C2CD789A380208AA
      """
    ),
    (
      .p256, "the first x below n",
      """
      A13D77524F111C8841F61D0FB1E24C5B8964782F62B23C2EA87AD4BFA4F2FF3C
      5504A1B0D97C8E509DF573993E21E129265F006A4B9A3E5AC65115051178D1E7
      """,
      """
      FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC63254F
      A11D459A2F978D8719999E3FA46D6753EC148CB48E73CA47EA90A8F0D66B829F
      """
    ),
  ]
}
