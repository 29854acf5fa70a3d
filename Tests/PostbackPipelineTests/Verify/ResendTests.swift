import Base
@testable import Ledger
@testable import PostbackVerification
import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Resends of accepted postbacks` {
  private let trust: TrustPolicy
  private let v4 = RealPostback.v4

  init() throws { trust = try TrustPolicy.apple() }

  /// The codes of lines, nil for accepted ones, with an index of what earlier runs accepted.
  private func codes(_ lines: [[UInt8]], _ index: SeenIndex, _ trust: TrustPolicy? = nil) async throws -> [RejectCode?]
  {
    var codes: [RejectCode?] = []
    let trust = trust ?? self.trust
    let batches = RawLines(lines: lines, batchSize: 3)
      .concurrently(2) { batch throws(PipelineFailure) in
        try batch.parsed(receivedAt: ReceivedAtRule()).verified(by: trust, index)
      }
      .deduplicated(in: index)
    for try await case .batch(let batch) in batches {
      for outcome in batch.outcomes {
        if case .rejected(let rejection) = outcome { codes.append(rejection.code) } else { codes.append(nil) }
      }
    }
    return codes
  }

  /// Puts a postback into an index as if it had been accepted with the digest of a signature of a key.
  private func plant(_ text: [UInt8], as digest: UInt64?, in index: SeenIndex) throws {
    let (postback, bytes) = try parse(text)
    var verifier = try SignatureVerifier(trust)
    let key = try verifier.key(of: postback, in: bytes)
    let content = try verifier.verify(postback, of: bytes).digest
    let seen = RecentIndex.Seen(key, content, UnsignedFields(postback, of: bytes), resend: digest)
    #expect(try index.admit([.init(seen)]) == [.first])
  }

  private func parse(_ text: [UInt8]) throws -> (postback: Postback, bytes: [UInt8]) {
    var parser = PostbackParser()
    var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
    return (try parser.parse(0..<text.count, of: &bytes), bytes)
  }

  /// The digest of a postback as if a key had signed it.
  private func digest(_ text: [UInt8], by signer: Int, _ resendKey: ResendKey) throws -> UInt64 {
    let (postback, bytes) = try parse(text)
    var verifier = try SignatureVerifier(trust)
    let content = try verifier.verify(postback, of: bytes).digest
    guard case .attribution(let range) = postback.signature else { return 0 }
    var signature: [UInt8] = []
    #expect(Base64.standard.decode(bytes.span.extracting(range.indices), appendingTo: &signature))
    return resendKey.digest(signature.span, of: content, by: resendKey.fingerprint(of: trust.keys[signer]))
  }

  private var forged: [UInt8] { Array(v4.object.with(["campaign-id": "3", "app-id": "7"]).text.utf8) }

  @Test func `have the same codes whether the index knows their digest or not`() async throws {
    let lines =
      [v4.object, v4.object.with(["conversion-value": "0"]), v4.object.with(["extra": "1"])].map { Array($0.text.utf8) }
      + [forged] + RealPostback.all.map(\.bytes)
    let first = SeenIndex()
    let fresh = try await codes(lines, first)
    let again = try await codes(lines, first)
    // As states of earlier versions have them, without digests.
    let old = SeenIndex()
    for (line, code) in zip(lines, fresh) where code == nil { try plant(line, as: nil, in: old) }
    #expect(try await codes(lines, old) == again)
    #expect(again[..<4] == [.duplicateIdentical, .duplicateConflict, .duplicateIdentical, .signatureInvalid])
    #expect(!again.contains(nil))
  }

  @Test func `are not verified, and never accepted`() async throws {
    // Nothing but the digest can call this forgery a copy.
    let index = SeenIndex()
    let real = try digest(forged, by: 0, index.resendKey)
    try plant(forged, as: real, in: index)
    let edited = Array(v4.object.with(["campaign-id": "3", "app-id": "7", "conversion-value": "1"]).text.utf8)
    #expect(
      try await codes([forged, edited, forged], index) == [
        .duplicateIdentical, .duplicateConflict, .duplicateIdentical,
      ]
    )
    #expect(index.count == 1)
  }

  @Test func `are told from everything else`() async throws {
    let other = Array(v4.object.with(["campaign-id": "3", "app-id": "8"]).text.utf8)
    let known = SeenIndex()
    let digest = try digest(forged, by: 0, known.resendKey)
    // Other content, another signer, another key of the state, and no digest.
    try plant(forged, as: digest, in: known)
    #expect(try await codes([other], known) == [.signatureInvalid])
    for digest in [try self.digest(forged, by: 1, known.resendKey), digest &+ 1, 0, nil] {
      let index = SeenIndex()
      try plant(forged, as: digest, in: index)
      #expect(try await codes([forged], index) == [.signatureInvalid])
    }
    let stranger = SeenIndex()
    try plant(forged, as: digest, in: stranger)
    #expect(try await codes([forged], stranger) == [.signatureInvalid])
  }

  @Test func `are subject to the policy, and to the keys that are trusted now`() async throws {
    let index = SeenIndex()
    #expect(try await codes([v4.bytes], index) == [nil])
    var strict = trust
    strict.allowedApps = [1]
    #expect(try await codes([v4.bytes], index, strict) == [.appNotAllowed])
    let key = try #require(trust.keys.first)
    let digest = try digest(v4.bytes, by: 0, index.resendKey)
    let other = try Signer(.p256, id: "other")
    var without = TrustPolicy(keys: [])
    try without.add("other", base64: other.base64)
    #expect(key.environment == .production && digest != 0)
    #expect(try await codes([v4.bytes], index, without) == [.signatureInvalid])
  }
}
