import PostbackVerification
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@Suite struct `The public verifier` {
  @Test(arguments: RealPostback.all)
  func `gives each published postback its state`(_ real: RealPostback) throws {
    let verification = try PostbackVerifier().verify(real.bytes)
    #expect(verification.state.rawValue == real.signatureState)
    #expect((verification.verified != nil) == ["valid", "valid_zero_filled"].contains(real.signatureState))
    #expect((verification.rejectCode == nil) == (verification.verified != nil))
  }

  @Test func `returns the key, the signed text and the fields of a genuine postback`() throws {
    let verification = try PostbackVerifier().verify(RealPostback.v4.bytes)
    #expect(verification.state == .valid)
    #expect(verification.layout == .asSent)
    let key = try #require(verification.key)
    #expect(key.id == "apple-cas-identifier/0" && key.environment == .production)
    #expect(
      String(decoding: verification.signedText, as: UTF8.self).split(separator: "\u{2063}") == [
        "4.0", "com.example", "5239", "525463029", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30", "false", "example.com", "1",
        "true", "0",
      ]
    )
    let verified = try #require(verification.verified)
    #expect(verified.fields.adNetworkID == "com.example" && verified.fields.sourceIdentifier == "5239")
    #expect(verified.fields.conversionValue == 63 && verified.fields.isWin && verified.fields.conversionWindow == 0)
    #expect(verified.signer.id == key.id && verified.environment == .production)
    #expect(verified.format == .skAdNetwork(.v4_0))
    #expect("\(verified.key)".count == 32)
    #expect(verified.tierFlags.isEmpty)
  }

  @Test func `returns zeros that a forwarder filled in as received, and not as verified`() throws {
    let filled = RealPostback.v4.object.with(["source-app-id": "0"]).bytes
    let verification = try PostbackVerifier().verify(filled)
    #expect(verification.state == .validZeroFilled && verification.layout == .withoutZeroFilled)
    #expect(verification.received.fields.sourceAppID == 0)
    let verified = try #require(verification.verified)
    #expect(verified.fields.sourceAppID == nil)
    #expect(try verified.key == PostbackVerifier().verify(RealPostback.v4.bytes).verified?.key)
  }

  @Test func `returns lost zeros as verified, and not as received`() throws {
    let signer = try Signer(.p256, id: "ours")
    var trust = try TrustPolicy.apple()
    try trust.add("ours", base64: signer.base64)
    let signed = try signer.sign(RealPostback.v4.object.with(["source-identifier": "\"079\""]))
    let changed = signed.with(["source-identifier": "79"])
    let verifier = try PostbackVerifier(trusting: trust)
    let verification = try verifier.verify(changed.bytes)
    #expect(verification.state == .valid && verification.received.fields.sourceIdentifier == "79")
    let verified = try #require(verification.verified)
    #expect(verified.fields.sourceIdentifier == "079")
    let genuine = try verifier.verify(signed.bytes)
    #expect(verification.signedText == genuine.signedText && verified.key == genuine.verified?.key)
  }

  @Test func `has no verified postback for a forgery, and the reason`() throws {
    let forged = RealPostback.v4.object.with(["app-id": "1"]).bytes
    let verification = try PostbackVerifier().verify(forged)
    #expect(verification.state == .invalid && verification.verified == nil && verification.key == nil)
    #expect(verification.rejectCode == .signatureInvalid)
    #expect(verification.received.fields.appID == 1)
    let cut = RealPostback.v4.object.with(["attribution-signature": "\"MEU\""]).bytes
    #expect(try PostbackVerifier().verify(cut).rejectCode == .malformedSignature)
  }

  @Test func `accepts development keys and added keys only where the trust says so`() throws {
    let development = RealPostback.adAttributionKit.bytes
    let refused = try PostbackVerifier().verify(development)
    #expect(refused.state == .development && refused.verified == nil && refused.rejectCode == .developmentKey)
    var trust = try TrustPolicy.apple()
    trust.allowsDevelopment = true
    let allowed = try #require(try PostbackVerifier(trusting: trust).verify(development).verified)
    #expect(allowed.environment == .development && allowed.fields.conversionType == "re-engagement")

    let signer = try Signer(.p256, id: "ours")
    let ours = try signer.sign(RealPostback.v3.object).bytes
    #expect(try PostbackVerifier(trusting: trust).verify(ours).state == .invalid)
    try trust.add("ours", base64: signer.base64)
    let verification = try PostbackVerifier(trusting: trust).verify(ours)
    #expect(verification.key?.id == "ours" && verification.verified?.environment == .custom)
  }

  @Test func `refuses a key that cannot be read, and a name that is in use`() throws {
    var trust = try TrustPolicy.apple()
    #expect(throws: TrustError.self) { try trust.add("broken", base64: "no base64") }
    #expect(throws: TrustError.self) { try trust.add("broken", base64: "MAA=") }
    let signer = try Signer(.p256, id: "ours")
    #expect(throws: TrustError.self) { try trust.add("apple-cas-identifier/0", base64: signer.base64) }
  }

  @Test(arguments: [
    ("[]", RejectCode.notAnObject, nil), ("", .notJSON, nil), ("{\"version\":\"9.9\"}", .unsupportedVersion, "version"),
    ("{\"version\":\"4.0\"}", .missingField, "ad-network-id"),
  ])
  func `throws the code, the field and the explanation of a text that is no postback`(
    _ text: String,
    _ code: RejectCode,
    _ field: String?
  ) throws {
    let error = try #require(throws: VerificationError.self) { try PostbackVerifier().verify(text.utf8) }
    guard case .malformedPostback(let postback) = error else { throw error }
    #expect(postback.code == code)
    #expect(postback.field == field)
    #expect(!postback.explanation.isEmpty)
    #expect(error.description == "\(code.rawValue): \(postback.explanation)")
  }

  @Test func `refuses a text that is longer than any postback`() throws {
    let long = [UInt8](repeating: UInt8(ascii: " "), count: UnverifiedPostback.maximumByteCount) + RealPostback.v4.bytes
    let error = try #require(throws: PostbackError.self) { try UnverifiedPostback(parsing: long) }
    #expect(error.code == .tooLarge)
  }

  @Test func `reads an envelope, a slice and a sequence`() throws {
    let verifier = try PostbackVerifier()
    let bytes = RealPostback.v4.bytes
    let envelope = Array("{\"received_at\":\"2026-03-10T00:00:00Z\",\"body\":".utf8) + bytes + [UInt8(ascii: "}")]
    #expect(try verifier.verify(envelope).state == .valid)
    #expect(try verifier.verify((envelope + bytes)[envelope.count...]).state == .valid)
    #expect(try verifier.verify(AnySequence(bytes)).state == .valid)
    #expect(try verifier.verify(UnverifiedPostback(parsing: bytes)).state == .valid)
  }

  @Test func `serves many tasks at once`() async throws {
    let verifier = try PostbackVerifier()
    let states = await withTaskGroup { group in
      for real in RealPostback.all {
        group.addTask { (real.signatureState, try? verifier.verify(real.bytes).state.rawValue) }
      }
      var states: [(String, String?)] = []
      for await state in group { states.append(state) }
      return states
    }
    #expect(states.count == RealPostback.all.count)
    #expect(states.allSatisfy { $0.0 == $0.1 })
  }
}
