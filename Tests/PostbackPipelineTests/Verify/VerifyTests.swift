@testable import PostbackVerification
import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Acceptance of signatures` {
  @Test func `a source app invented beside a signed domain is rejected, a domain beside a signed app is an extra`()
    async throws
  {
    var flow = try Flow()
    let edited = Array(RealPostback.v4.object.with(["source-app-id": "5"]).text.utf8)
    #expect(try flow.verification(of: edited).state == .invalid)
    let signer = try Signer(.p256, id: "ours")
    try flow.trust.add("ours", base64: signer.base64)
    let app = RealPostback.v4.object.without("source-domain").with(["source-app-id": "5"])
    let invented = try signer.sign(app).with(["source-domain": "\"evil.example\""])
    let outcome = try await flow.outcomes(of: [Array(invented.text.utf8)])[0]
    let postback = try #require(outcome.verified).parsed.postback
    #expect(postback.sourceDomain == nil)
    #expect(outcome.text(postback.extras)?.contains("evil") == true)
  }

  @Test func `beside a signed source app of 0 a domain is an extra, and copies with another one conflict`() async throws
  {
    var flow = try Flow()
    let signer = try Signer(.p256, id: "ours")
    try flow.trust.add("ours", base64: signer.base64)
    let bare = try signer.sign(RealPostback.v4.object.without("source-domain").with(["source-app-id": "0"]))
    let lines = ["\"a.example\"", "\"b.example\"", nil, "\"\"", "\"a.example\"", "123"].map { domain in
      Array(bare.with(["source-domain": domain]).text.utf8)
    }
    let fates = try await flow.outcomes(of: lines)
    let postback = try #require(fates[0].verified).parsed.postback
    #expect(postback.sourceAppID == 0 && postback.sourceDomain == nil)
    #expect(postback.tierFlags == .unsignedSourceDomain)
    #expect(fates[0].text(postback.extras) == #"{"source-domain":"a.example"}"#)
    let conflict = RejectCode.duplicateConflict
    #expect(fates.map(\.rejectCode) == [nil, conflict, conflict, conflict, .duplicateIdentical, conflict])
    #expect(fates[1].rejection?.conflicts == [.init(field: .sourceDomain, first: "other", later: "b.example")])
    #expect(fates[2].rejection?.conflicts == [.init(field: .sourceDomain, first: "other", later: nil)])
    // Where the 0 is not signed, the domain is.
    let filled = RealPostback.v4.object.with(["source-app-id": "0"])
    let web = try #require(try await flow.outcomes(of: [Array(filled.text.utf8)])[0].verified)
    #expect(web.parsed.postback.sourceDomain?.count == 11 && web.parsed.postback.tierFlags.isEmpty)
  }

  @Test(arguments: ["05", "005", "0005"])
  func `a source identifier that lost its zeros is accepted with those that are signed`(_ digits: String) async throws {
    var flow = try Flow()
    let signer = try Signer(.p256, id: "ours")
    try flow.trust.add("ours", base64: signer.base64)
    let signed = try signer.sign(RealPostback.v4.object.with(["source-identifier": Object.quoted(digits)]))
    let lines = [
      signed.with(["source-identifier": "5"]), signed, signed.with(["source-identifier": "6"]),
      signed.with(["source-identifier": "5", "app-id": "1"]), signed.with(["source-identifier": "\"55\""]),
    ]
    let fates = try await flow.outcomes(of: lines.map(\.bytes))
    #expect(fates.map(\.rejectCode) == [nil, .duplicateIdentical] + Array(repeating: .signatureInvalid, count: 3))
    let verified = try #require(fates[0].verified)
    #expect(verified.parsed.postback.sourceIdentifier?.description == digits)
    #expect(verified.signature.state == .valid && verified.parsed.postback.coercedFields.contains(.sourceIdentifier))
    #expect(verified.tierFlags.contains(.sourceDigitsInLaterWindow) == false)
  }

  @Test func `a transaction that is signed with capitals keeps them`() async throws {
    var flow = try Flow()
    let signer = try Signer(.p256, id: "ours")
    try flow.trust.add("ours", base64: signer.base64)
    let id = "6AAFB7A5-0170-41B5-BBE4-FE71DEDF1E28"
    let signed = try signer.sign(RealPostback.v3.object.with(["transaction-id": Object.quoted(id)]))
    let lower = signed.with(["transaction-id": Object.quoted(id.lowercased())])
    let fates = try await flow.outcomes(of: [lower.bytes, signed.bytes])
    #expect(fates.map(\.rejectCode) == [.signatureInvalid, nil])
    let postback = try #require(fates[1].verified).parsed.postback
    #expect(fates[1].text(postback.transactionID) == id && postback.coercedFields.isEmpty)
  }

  @Test func `a signed source app does not pass as a domain, though both are signed in the same place`() async throws {
    var flow = try Flow()
    let signer = try Signer(.p256, id: "ours")
    try flow.trust.add("ours", base64: signer.base64)
    let signed = try signer.sign(RealPostback.v4.object.without("source-domain").with(["source-app-id": "1234567891"]))
    let moved = signed.without("source-app-id").with(["source-domain": "\"1234567891\""])
    let fates = try await flow.outcomes(of: [Array(signed.text.utf8), Array(moved.text.utf8)])
    #expect(fates.map(\.rejectCode) == [nil, .outOfRange])
  }

  @Test func `zeros that a forwarder filled in are seen through and taken back`() async throws {
    var flow = try Flow()
    let signer = try Signer(.p256, id: "ours")
    try flow.trust.add("ours", base64: signer.base64)
    let web = RealPostback.v4.object
    let bare = RealPostback.v4.object.without("source-domain")
    for (object, zeros) in [
      (web, ["source-app-id": "0"]), (bare, ["source-app-id": "0"]), (bare, ["source-domain": "\"\""]),
      (bare, ["source-app-id": "0", "source-domain": "\"\""]),
    ] {
      let sent = try signer.sign(object).with(zeros.mapValues { $0 })
      let outcome = try await flow.outcomes(of: [Array(sent.text.utf8)])[0]
      let verified = try #require(outcome.verified, "\(zeros)")
      #expect(verified.signature.state == .validZeroFilled)
      #expect(verified.parsed.postback.sourceAppID == nil)
      #expect(verified.parsed.postback.sourceDomain?.count != 0)
    }
  }

  @Test func `Apple's development keys count only where that is allowed`() async throws {
    var flow = try Flow()
    let line = RealPostback.adAttributionKit.bytes
    #expect(try await flow.outcomes(of: [line])[0].rejectCode == .developmentKey)
    flow.trust.allowsDevelopment = true
    let verified = try #require(try await flow.outcomes(of: [line])[0].verified)
    #expect(verified.signature.state == .development)
  }

  /// A key of this test takes the place of Apple's private development keys.
  @Test func `a development key verifies SKAdNetwork postbacks on P-256 if that is allowed`() async throws {
    var flow = try Flow()
    let signer = try Signer(.p256, id: "test")
    try flow.trust.append("test", .development, signer.base64)
    let bare = RealPostback.v4.object.without("source-domain")
    let lines = [
      try signer.sign(RealPostback.v21.object), try signer.sign(RealPostback.v3.object),
      try signer.sign(bare.with(["transaction-id": "\"a\""])).with(["source-app-id": "0", "conversion-value": "0"]),
      try signer.sign(bare.with(["transaction-id": "\"b\"", "source-app-id": "0"])),
    ].map(\.bytes)
    #expect(try await flow.outcomes(of: lines).map(\.rejectCode) == [_](repeating: .signatureInvalid, count: 4))
    flow.trust.allowsDevelopment = true
    let fates = try await flow.outcomes(of: lines + [RealPostback.v4Coarse.bytes])
    let verified = fates.compactMap(\.verified)
    #expect(verified.map(\.signature.state) == [.development, .development, .development, .development, .valid])
    #expect(verified.map(\.environment) == [.development, .development, .development, .development, .production])
    #expect(verified.dropFirst(2).map(\.parsed.postback.sourceAppID) == [nil, 0, nil])
    let flags = verified.map { $0.tierFlags.contains(.zeroMayBeNull) }
    #expect(flags == [false, false, true, false, false])
  }

  @Test(arguments: Curve.allCases) func `a custom key is tried behind Apple's, on its curve`(_ curve: Curve)
    async throws
  {
    var flow = try Flow()
    let signer = try Signer(curve, id: "ours")
    let real: RealPostback = curve == .p192 ? .v20 : .v3
    let line = Array(try signer.sign(real.object).text.utf8)
    #expect(try flow.verification(of: line).state == .invalid)
    try flow.trust.add("ours", base64: signer.base64)
    let verified = try #require(try await flow.outcomes(of: [line])[0].verified)
    let key = verified.signature.key
    #expect(flow.trust.keys[key].id == "ours")
    #expect(flow.trust.keys[key].environment == .custom)
    #expect(try flow.verification(of: real.bytes).state == .valid)
  }

  @Test func `exact resends come out as duplicates, whatever stands between`() async throws {
    let lines = [RealPostback.v3, .v4, .v3, .v4, .v3].map(\.bytes)
    let codes = try await Flow().outcomes(of: lines, batchSize: 1).map(\.rejectCode)
    #expect(codes == [nil, nil, .duplicateIdentical, .duplicateIdentical, .duplicateIdentical])
  }

  @Test func `what is not wanted is rejected as policy, after the signature`() async throws {
    var flow = try Flow()
    let genuine = RealPostback.v4.bytes
    let forged = Array(RealPostback.v4.object.with(["app-id": "1"]).text.utf8)
    flow.trust.allowedApps = [1]
    let codes = try await flow.outcomes(of: [genuine, forged]).map(\.rejectCode)
    #expect(codes == [.appNotAllowed, .signatureInvalid])
    flow.trust.allowedApps = [525_463_029]
    flow.trust.allowedNetworks = ["example.com"]
    #expect(try await flow.outcomes(of: [genuine])[0].rejectCode == .networkNotAllowed)
    flow.trust.allowedNetworks = ["com.example"]
    #expect(try await flow.outcomes(of: [genuine])[0].rejectCode == nil)
  }

  @Test func `postbacks keep their order however many batches are judged at once`() async throws {
    var flow = try Flow()
    let lines = RealPostback.all.map(\.bytes) + RealPostback.all.map(\.bytes)
    let one = try await flow.outcomes(of: lines, batchSize: 1).map(\.rejectCode)
    flow.jobs = 8
    #expect(try await flow.outcomes(of: lines, batchSize: 1).map(\.rejectCode) == one)
  }
}
