import Base
import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@testable import PostbackVerification

@Suite struct `Exact resends` {
  private let v3 = RealPostback.v3
  private let v4 = RealPostback.v4

  private func verifications(
    _ texts: [[UInt8]],
    known: VerdictCache,
    _ trust: TrustPolicy? = nil
  ) throws -> [SignatureState] {
    var verifier = try SignatureVerifier(try trust ?? TrustPolicy.apple(), known: known)
    return try texts.map { text in
      var parser = PostbackParser()
      var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
      let postback = try parser.parse(0..<text.count, of: &bytes)
      return try verifier.verify(postback, of: bytes).state
    }
  }

  /// The identity of a postback in the cache: its content and signature.
  private func name(of real: RealPostback, signature: String? = nil) throws -> VerdictCache.Key {
    let (content, own) = try parts(of: real)
    guard let signature else { return VerdictCache.Key(content, VerdictCache.SignatureHash(own.span)) }
    var decoded: [UInt8] = []
    let base64 = Array(signature.utf8)
    #expect(Base64.standard.decode(base64.span, appendingTo: &decoded))
    return VerdictCache.Key(content, VerdictCache.SignatureHash(decoded.span))
  }

  @Test func `are known by content, signature and key`() throws {
    let known = VerdictCache()
    #expect(try verifications([v3.bytes, v3.bytes], known: known) == [.valid, .valid])
    #expect(known.trustedKey(of: try name(of: v3)) == 0)
    #expect(known.trustedKey(of: try name(of: v4)) == nil)
  }

  @Test func `are not verified again`() throws {
    // Nothing but the cache can call this one valid.
    let known = VerdictCache()
    let other = try #require(v4.object.string("attribution-signature"))
    let swapped = Array(v3.object.with(["attribution-signature": Object.quoted(other)]).text.utf8)
    #expect(try verifications([swapped], known: known) == [.invalid])
    known.insert(try name(of: v3, signature: other), 0)
    #expect(try verifications([swapped], known: known) == [.valid])
  }

  @Test func `do not let anything else in: another signature, other content, another curve's key`() throws {
    let known = VerdictCache()
    let signature = try #require(v3.object.string("attribution-signature"))
    let other = try #require(v4.object.string("attribution-signature"))
    let smuggled = [
      v3.object.with(["attribution-signature": Object.quoted(other)]), v3.object.with(["campaign-id": "43"]),
      v3.object.with(["did-win": "false"]), v4.object.with(["attribution-signature": Object.quoted(signature)]),
      v3.object.with(["version": "\"2.2\""]),
    ].map { Array($0.text.utf8) }
    let states = try verifications([v3.bytes, v4.bytes] + smuggled + [v3.bytes], known: known)
    #expect(states == [.valid, .valid] + Array(repeating: .invalid, count: smuggled.count) + [.valid])

    // A P-192 key that is said to have signed a 3.0 is not believed: it is none of the version's.
    known.insert(try name(of: v3, signature: other), 1)
    #expect(try verifications([smuggled[0]], known: known) == [.invalid])
  }

  @Test func `of a forgery are not verified again, and nothing else is taken for one`() throws {
    let known = VerdictCache()
    let trust = try TrustPolicy.apple()
    let keys = VerdictCache.KeySet(trust.keys(for: .v3_0).map { trust.keys[$0].key })
    let (digest, signature) = try parts(of: v3)
    // Nothing but the cache can call these invalid.
    known.insertForgery(signature.span, of: digest, by: keys)
    #expect(try verifications([v3.bytes], known: known, trust) == [.invalid])
    #expect(try verifications([v4.bytes], known: known, trust) == [.valid])

    // Neither other keys, of which one may have signed it, nor another signature or other content are known.
    #expect(try verifications([v3.bytes], known: known, try TrustPolicy.apple()) == [.valid])
    let others = VerdictCache()
    for other in [signature.dropLast() + [signature[0]], signature + [0]] {
      others.insertForgery(other.span, of: digest, by: keys)
      #expect(try verifications([v3.bytes], known: others, trust) == [.valid])
    }
    others.insertForgery(signature.span, of: try parts(of: v4).digest, by: keys)
    #expect(try verifications([v3.bytes, v4.bytes], known: others, trust) == [.valid, .valid])
  }

  @Test func `of a forgery with zeros filled in are known under both layouts`() throws {
    let known = VerdictCache()
    let trust = try TrustPolicy.apple()
    let forged = Array(v4.object.with(["app-id": "1", "source-app-id": "0"]).text.utf8)
    #expect(try verifications([forged, forged], known: known, trust) == [.invalid, .invalid])
    // What Apple signed with zeros filled in is still seen through.
    let genuine = Array(v4.object.with(["source-app-id": "0"]).text.utf8)
    let states = try verifications([genuine, forged, genuine], known: known, trust)
    #expect(states == [.validZeroFilled, .invalid, .validZeroFilled])
  }

  @Test func `a flood of forgeries makes nobody forget what is genuine`() throws {
    let known = VerdictCache()
    known.insert(try name(of: v3), 0)
    let keys = VerdictCache.KeySet([])
    var hash = try SHA256()
    let signature = [UInt8](repeating: 1, count: 70)
    for number in 0..<300_000 {
      let content = Array("forgery \(number)".utf8)
      known.insertForgery(signature.span, of: try hash.digest(of: content.span), by: keys)
    }
    #expect(known.trustedKey(of: try name(of: v3)) == 0)
  }

  /// The digest of a postback's signed text, and its signature.
  private func parts(of real: RealPostback) throws -> (digest: SHA256Digest, signature: [UInt8]) {
    let text = Array(real.object.text.utf8)
    var parser = PostbackParser()
    var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
    let postback = try parser.parse(0..<text.count, of: &bytes)
    var message: [UInt8] = []
    postback.appendSignedMessage(.asSent, of: bytes, to: &message)
    var hash = try SHA256()
    var signature: [UInt8] = []
    let base64 = Array((real.object.string("attribution-signature") ?? "").utf8)
    #expect(Base64.standard.decode(base64.span, appendingTo: &signature))
    return (try hash.digest(of: message.span), signature)
  }
}

@Suite struct `Batches of verdicts` {
  @Test func `are the verdicts one by one, with and without tables`() throws {
    let ours = try Signer(.p256, id: "ours")
    let short = try Signer(.p192, id: "short")
    let bare = RealPostback.v4.object.without("source-domain")
    var texts: [[UInt8]] = []
    for index in 0..<700 {
      let id = ["transaction-id": Object.quoted("t\(index)")]
      switch index % 7 {
      case 0: texts.append(Array(try ours.sign(bare.with(id)).with(["source-app-id": "0"]).text.utf8))
      case 1: texts.append(Array(try ours.sign(bare.with(id)).with(["app-id": "\(index)"]).text.utf8))
      case 2: texts.append(RealPostback.all[index % RealPostback.all.count].bytes)
      case 3: texts.append(Array(try short.sign(RealPostback.v20.object.with(id)).text.utf8))
      case 4: texts.append(Array(bare.with(id).with(["attribution-signature": "\"MAA=\""]).text.utf8))
      default: texts.append(Array(try ours.sign(RealPostback.v4.object.with(id)).text.utf8))
      }
    }
    var trust = try TrustPolicy.apple()
    try trust.add("ours", base64: ours.base64)
    try trust.add("short", base64: short.base64)
    func states(_ trust: TrustPolicy, batch: Int) throws -> [SignatureState] {
      var verifier = try SignatureVerifier(trust)
      var states: [SignatureState] = []
      for start in stride(from: 0, to: texts.count, by: batch) {
        var parser = PostbackParser()
        var bytes: [UInt8] = []
        for text in texts[start..<min(start + batch, texts.count)] {
          let first = bytes.count
          bytes += text + [UInt8](repeating: 0, count: JSONParser.padding)
          try verifier.add(try parser.parse(first..<first + text.count, of: &bytes), of: bytes)
        }
        states += try verifier.verify().map(\.state)
      }
      return states
    }
    let oneByOne = try states(trust, batch: 1)
    #expect(Set(oneByOne) == [.valid, .validZeroFilled, .development, .invalid, .malformed])
    for key in trust.keys { key.key.prepare() }
    #expect(trust.keys.allSatisfy { $0.key.method == .fixedBase })
    for batch in [1, 8, 9, 64, 700] { #expect(try states(trust, batch: batch) == oneByOne) }
  }
}
