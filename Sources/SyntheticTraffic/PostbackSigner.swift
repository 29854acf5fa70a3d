internal import Base
internal import JSON
internal import SKAdNetwork
package import Signatures

/// A signer of planned postbacks. It makes SKAdNetwork's signature in base64, or AdAttributionKit's JWS.
struct PostbackSigner: ~Copyable {
  private let keys: GeneratedKeys
  private let seed: UInt64
  private var hash: SHA256

  init(keys: GeneratedKeys, seed: UInt64) throws(LibcryptoFailure) {
    self.keys = keys
    self.seed = seed
    hash = try SHA256()
  }

  /// Returns the text in the place of Apple's signature, malformed if the plan says so.
  mutating func signature(of plan: LinePlan) throws(LibcryptoFailure) -> String {
    switch plan.draft.format {
    case .skAdNetwork: try attributionSignature(of: plan)
    case .adAttributionKit: try jws(of: plan)
    }
  }

  private mutating func attributionSignature(of plan: LinePlan) throws(LibcryptoFailure) -> String {
    var message: [UInt8] = []
    plan.signed.appendSignedText(to: &message)
    let text = Self.write(try signature(of: message, for: plan, as: .der), as: plan.signatureWriting, .standard)
    let isBroken = plan.malformation == .signatureNotBase64
    return (isBroken ? "!" : "") + String(decoding: isBroken ? text.dropFirst() : text[...], as: UTF8.self)
  }

  private mutating func jws(of plan: LinePlan) throws(LibcryptoFailure) -> String {
    let header = Self.encode(Self.header(of: plan))
    var payload: [UInt8] = []
    plan.signed.appendPayload(to: &payload)
    let signature = try signature(of: header + [Self.period] + Self.encode(payload), for: plan, as: .raw)
    payload.removeAll(keepingCapacity: true)
    if plan.malformation == .jwsPayloadNotJSON {
      payload.append(contentsOf: "postback-identifier=1".utf8)
    } else {
      plan.draft.appendPayload(to: &payload)
    }
    var jws = header + [Self.period] + Self.encode(payload)
    if plan.malformation != .jwsOfTwoParts {
      jws += [Self.period] + Self.write(signature, as: plan.signatureWriting, .url)
    }
    return String(decoding: jws, as: UTF8.self)
  }

  private static func header(of plan: LinePlan) -> [UInt8] {
    var header = Array("{".utf8)
    header.appendJSONKey(Field.keyID.name, isFirst: true)
    header.appendJSONString(plan.keyID, escapingSlashes: true)
    header.appendJSONKey(Field.algorithm.name)
    header.appendJSONString(plan.malformation == .jwsAlgorithmNone ? "none" : "ES256")
    header.append(UInt8(ascii: "}"))
    return header
  }

  /// Returns the bytes of the signature.
  private mutating func signature(
    of message: [UInt8],
    for plan: LinePlan,
    as form: SignatureForm
  ) throws(LibcryptoFailure) -> [UInt8] {
    let curve = plan.draft.format.curve
    if plan.signer == .nobody { return random(curve, form, line: plan.line) }
    let key = keys.key(curve, isImpostor: plan.signer == .impostor)
    let digest = try hash.digest(of: message.span)
    if plan.malformation == .signatureOtherForm || plan.signatureWriting == .otherForm {
      return try key.sign(digest, as: form == .der ? .raw : .der)
    }
    let signature = try key.sign(digest, as: form)
    return plan.malformation == .signatureTrailingByte ? signature + [0] : signature
  }

  /// Returns a random signature that no key made: r and s are positive and below the curve's order.
  private func random(_ curve: Curve, _ form: SignatureForm, line: Int) -> [UInt8] {
    var random = SeededGenerator(seed: seed, line: line, .signature)
    func number() -> [UInt8] {
      var bytes = (0..<curve.fieldByteCount).map { _ in UInt8(random.below(256)) }
      // The first byte is neither negative nor zero, so that the DER integer has the length of the number.
      bytes[0] = UInt8(1 + random.below(127))
      return bytes
    }
    return form.bytes(ofRaw: number() + number())
  }

  private static func write(_ signature: [UInt8], as writing: SignatureWriting, _ base64: Base64) -> [UInt8] {
    switch writing {
    case .asSigned, .otherForm: return base64.encode(signature)
    case .hexadecimal, .capitalHexadecimal:
      var digits: [UInt8] = []
      digits.appendHexadecimal(signature.span)
      guard writing == .capitalHexadecimal else { return digits }
      return digits.map { UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 ? $0 - 32 : $0 }
    }
  }

  private static let period = UInt8(ascii: ".")

  private static func encode(_ bytes: [UInt8]) -> [UInt8] { Base64.url.encode(bytes) }
}

extension PostbackDraft {
  /// Appends the payload of AdAttributionKit's JWS.
  fileprivate func appendPayload(to json: inout [UInt8]) {
    json.append(UInt8(ascii: "{"))
    var isFirst = true
    for field in format.rules.signedFields {
      guard let value = self[field] else { continue }
      json.appendJSONKey(field.name, isFirst: isFirst)
      value.append(to: &json)
      isFirst = false
    }
    json.append(UInt8(ascii: "}"))
  }
}

/// The generated signing keys, which stand for Apple's keys, and the keys of impostors.
package struct GeneratedKeys: Sendable {
  static let p256Name = "generated-p256"
  static let p192Name = "generated-p192"

  private let p256: SigningKey
  private let p192: SigningKey
  private let impostorP256: SigningKey
  private let impostorP192: SigningKey

  /// Derives the keys from a seed.
  package init(seed: UInt64) throws(LibcryptoFailure) {
    func key(_ name: String, _ curve: Curve) throws(LibcryptoFailure) -> SigningKey {
      var hash = try SHA256()
      let text = Array("postback generate \(name) \(seed)".utf8)
      return try SigningKey(curve: curve, scalarFrom: try hash.digest(of: text.span))
    }
    p256 = try key(Self.p256Name, .p256)
    p192 = try key(Self.p192Name, .p192)
    impostorP256 = try key("impostor-p256", .p256)
    impostorP192 = try key("impostor-p192", .p192)
  }

  /// Returns the signing key on that curve.
  func key(_ curve: Curve, isImpostor: Bool = false) -> SigningKey {
    switch curve {
    case .p256: isImpostor ? impostorP256 : p256
    case .p192: isImpostor ? impostorP192 : p192
    }
  }

  /// The names of the keys that stand for Apple's, and their SubjectPublicKeyInfos in base64.
  package var trusted: [(name: String, base64: String)] {
    [(Self.p256Name, p256), (Self.p192Name, p192)].map { name, key in
      (name, String(decoding: Base64.standard.encode(key.subjectPublicKeyInfo), as: UTF8.self))
    }
  }
}
