import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@testable import PostbackVerification

@Suite struct `Verification of signatures` {
  /// The verdict on one postback.
  private func verification(of text: [UInt8], by trust: TrustPolicy) throws -> SignatureVerification {
    var parser = PostbackParser()
    var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
    let postback = try parser.parse(0..<text.count, of: &bytes)
    var verifier = try SignatureVerifier(trust)
    return try verifier.verify(postback, of: bytes)
  }

  @Test(arguments: RealPostback.all)
  func `every postback that Apple published gets its verdict`(_ postback: RealPostback) throws {
    #expect(try verification(of: postback.bytes, by: TrustPolicy.apple()).state.rawValue == postback.signatureState)
  }

  @Test(arguments: RealPostback.all.filter { $0.signatureState == "valid" })
  func `a changed signed field is rejected`(_ real: RealPostback) throws {
    let trust = try TrustPolicy.apple()
    let changes = [
      ("campaign-id", "43"), ("source-identifier", "\"11\""), ("app-id", "1"), ("redownload", nil),
      ("transaction-id", "\"6aafb7a5-0170-41b5-bbe4-fe71dedf1e99\""), ("ad-network-id", "\"COM.EXAMPLE\""),
      ("source-app-id", "77"), ("fidelity-type", nil), ("did-win", nil), ("postback-sequence-index", "2"),
    ]
    let signed = Set((Version(rawValue: real.version) ?? .v1_0).signedFields.map(\.name))
    for (name, changed) in changes where signed.contains(name) {
      var object = real.object
      switch (object[name], changed) {
      case ("true", nil): object[name] = "false"
      case ("false", nil): object[name] = "true"
      case ("0", nil): object[name] = "1"
      case ("1", nil): object[name] = "0"
      case (_, let changed): object[name] = changed
      }
      #expect(try verification(of: object.bytes, by: trust).state == .invalid, "\(name)")
    }
  }

  @Test func `a field that the version does not sign may change`() throws {
    let trust = try TrustPolicy.apple()
    for (real, name, value) in [
      (RealPostback.v1, "redownload", "true"), (.v1, "source-app-id", "5"), (.v22, "did-win", "false"),
      (.v3, "conversion-value", "1"), (.v4, "conversion-value", "1"), (.v4, "country-code", "\"DE\""),
    ] {
      #expect(try verification(of: real.object.with([name: value]).bytes, by: trust).state == .valid, "\(name)")
    }
  }

  @Test func `AdAttributionKit goes by the name of the key and by nothing else`() throws {
    let payload = """
      {"ad-network-identifier":"n","postback-identifier":"p","advertised-item-identifier":1,"did-win":true,\
      "postback-sequence-index":0}
      """
    let (ours, other) = (try Signer(.p256, id: "ours"), try Signer(.p256, id: "other", seed: "another"))
    var trust = try TrustPolicy.apple()
    try trust.add("ours", base64: ours.base64)
    func state(_ object: Object) throws -> SignatureState {
      try verification(of: object.bytes, by: trust).state
    }
    #expect(try state(ours.sign(payload: payload)) == .valid)
    #expect(try state(other.sign(payload: payload)) == .unknownKey)
    #expect(try state(other.sign(payload: payload, header: #"{"alg":"ES256","kid":"ours"}"#)) == .invalid)
    #expect(
      try state(ours.sign(payload: payload, header: #"{"alg":"ES256","kid":"apple-cas-identifier/0"}"#)) == .invalid
    )
    let p192 = try Signer(.p192, id: "short")
    try trust.add("short", base64: p192.base64)
    #expect(try state(p192.sign(payload: payload)) == .unknownKey)
  }

  @Test(arguments: ["apple-cas-identifier/0", "apple-development-identifier/1", "apple-skadnetwork-p192", "twice"])
  func `nobody's key takes a name that is taken`(_ id: String) throws {
    var trust = try TrustPolicy.apple()
    let signer = try Signer(.p256, id: id)
    if id == "twice" { try trust.add(id, base64: signer.base64) }
    #expect(throws: TrustError.self) { try trust.add(id, base64: signer.base64) }
  }
}
