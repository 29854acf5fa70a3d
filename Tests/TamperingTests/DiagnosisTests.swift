import Base
@testable import PostbackVerification
@testable import Tampering
import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@Suite struct `Diagnosis of what Apple signed` {
  private let diagnoser: Diagnoser

  init() throws { diagnoser = try Diagnoser(.apple()) }

  private func diagnosis(_ object: Object) throws -> Diagnosis { try diagnoser.diagnose(object.bytes) }

  @Test func `a cancelled task makes no further diagnoses`() async throws {
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await diagnoser.diagnose([[UInt8]](repeating: Array("{}".utf8), count: 9), jobs: 1)
    }
    #expect(try await task.value.count == 1)
  }

  @Test(arguments: RealPostback.genuine) func `a genuine postback is found unaltered`(_ real: RealPostback) throws {
    let diagnosis = try diagnosis(real.object)
    if real.signatureState == "valid" {
      guard case .unaltered = diagnosis.finding else { throw Unexpected(diagnosis) }
    } else {
      #expect(diagnosis.reencodings?.allSatisfy { $0.hasPrefix("zero_filled") } == true)
    }
    #expect(diagnosis.tried == 1)
  }

  /// Edits each signed field of each postback in a way that the search covers.
  @Test(arguments: RealPostback.genuine, Edited.allCases)
  func `the original value of an edited field is recovered`(_ real: RealPostback, _ edited: Edited) throws {
    let version = try #require(Version(rawValue: real.version))
    for field in version.signedFields {
      guard let original = real.object.string(field.name), !(original == "0" && field == .sourceAppID),
        let (json, arrived) = edited.edit(field, original)
      else { continue }
      let diagnosis = try diagnosis(real.object.with([field.name: json]))
      #expect(diagnosis.edits == ["\(field.name): \(original) -> \(arrived)"], "\(field.name)")
    }
  }

  /// A kind of edit of a field.
  enum Edited: CaseIterable {
    case value, letterCase, whiteSpace, percentEncoding, digit

    /// The new value as JSON and as text; nil if the field cannot be edited in this way.
    func edit(_ field: Field, _ original: String) -> (json: String, text: String)? {
      let isIdentifier = [.adNetworkID, .transactionID, .sourceDomain].contains(field)
      switch self {
      case .value: return value(field, original)
      case .letterCase where isIdentifier:
        return quoted(original == original.uppercased() ? original.lowercased() : original.uppercased())
      case .whiteSpace where isIdentifier: return quoted(" \(original)\t")
      case .percentEncoding where isIdentifier:
        return quoted(original.replacing(".", with: "%2E").replacing("-", with: "%2d"))
          .flatMap { $0.text == original ? nil : $0 }
      case .digit where [.appID, .sourceAppID].contains(field):
        return (original.dropLast() + "\(original.hasSuffix("7") ? 8 : 7)").plain
      case .digit where field == .transactionID:
        return quoted(original.dropLast() + (original.hasSuffix("7") ? "8" : "7"))
      default: return nil
      }
    }

    private func value(_ field: Field, _ original: String) -> (json: String, text: String)? {
      switch field {
      case .campaignID: "\(Int(original) == 77 ? 78 : 77)".plain
      case .sourceIdentifier: quoted(original == "0815" ? "1508" : "0815")
      case .redownload, .didWin: (original == "true" ? "false" : "true").plain
      case .fidelityType: (original == "0" ? "1" : "0").plain
      case .postbackSequenceIndex: (original == "0" ? "1" : "0").plain
      default: nil
      }
    }

    private func quoted(_ text: some StringProtocol) -> (json: String, text: String)? {
      (Object.quoted(String(text)), String(text))
    }
  }

  @Test(arguments: [
    (RealPostback.v1, "2.0"), (.v20, "1.0"), (.v21, "2.2"), (.v21, "2.0"), (.v22, "2.1"), (.v22, "3.0"), (.v3, "2.2"),
    (.v3, "2.1"), (.v3, "1.0"), (.v4, "3.0"),
  ]) func `an edited version is recovered`(_ real: RealPostback, _ version: String) throws {
    let edits = try #require(try diagnosis(real.object.with(["version": "\"\(version)\""])).edits)
    #expect(edits.contains("version: \(real.version) -> \(version)"))
    #expect(edits.count == 1)
  }

  @Test(arguments: RealPostback.genuine.filter { $0.version > "2.0" })
  func `a pair of edits is recovered`(_ real: RealPostback) throws {
    let object = real.object
    let redownload = object.string("redownload") ?? ""
    var edited = object.with(["redownload": redownload == "true" ? "false" : "true"])
    var edits = ["redownload: \(redownload) -> \(redownload == "true" ? "false" : "true")"]
    if let campaign = object.string("campaign-id") {
      edited["campaign-id"] = "99"
      edits.append("campaign-id: \(campaign) -> 99")
    } else if let source = object.string("source-identifier") {
      edited["source-identifier"] = "\"9\(source.suffix(1))\""
      edits.append("source-identifier: \(source) -> 9\(source.suffix(1))")
    }
    // Four digits behind two that are edited are tried with fewer other edits, and later.
    #expect(try diagnosis(edited).edits == edits.sorted())
  }

  @Test func `a field that was removed, added or moved is recovered`() throws {
    for (object, edits) in [
      (RealPostback.v3.object.without("did-win"), ["did-win: true -> -"]),
      (RealPostback.v3.object.without("fidelity-type"), ["fidelity-type: 1 -> -"]),
      (RealPostback.v3.object.without("redownload"), ["redownload: true -> -"]),
      (RealPostback.v3.object.without("campaign-id"), ["campaign-id: 42 -> -"]),
      (RealPostback.v4.object.with(["source-app-id": "5"]), ["source-app-id: - -> 5"]),
      (
        RealPostback.v4.object.with(["source-domain": "\"https://www.example.com/\""]),
        ["source-domain: example.com -> https://www.example.com/"]
      ),
      (RealPostback.v4.object.without("postback-sequence-index"), ["postback-sequence-index: 0 -> -"]),
      (RealPostback.v4Coarse.object.with(["source-identifier": "\"5239\""]), ["source-identifier: 39 -> 5239"]),
      (RealPostback.v4.object.with(["source-identifier": "\"39\""]), ["source-identifier: 5239 -> 39"]),
    ] {
      #expect(try diagnosis(object).edits == edits)
    }
    let v3 = RealPostback.v3.object
    let (app, source) = (v3.string("app-id") ?? "", v3.string("source-app-id") ?? "")
    let swapped = try diagnosis(v3.with(["app-id": source, "source-app-id": app]))
    #expect(swapped.edits == ["app-id: \(app) -> \(source)", "source-app-id: \(source) -> \(app)"])
    #expect(swapped.summary == "The advertised app and the source app were swapped.")
  }

  @Test(arguments: RealPostback.genuine) func `a signature in another encoding is read`(
    _ real: RealPostback
  ) throws {
    let text = try #require(real.object.string("attribution-signature"))
    var der: [UInt8] = []
    try #require(Base64.standard.decode(Array(text.utf8).span, appendingTo: &der))
    let curve: Curve = real.version < "2.1" ? .p192 : .p256
    var raw: [UInt8] = []
    try #require(SignatureForm.der.appendRaw(der.span, on: curve, to: &raw) == nil)
    var hexadecimal: [UInt8] = []
    hexadecimal.appendHexadecimal(der.span)
    func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.standard.encode(bytes), as: UTF8.self) }
    let url = text.replacing("+", with: "-").replacing("/", with: "_")
    for (written, word) in [
      (url, "base64url"), (text.replacing("=", with: ""), "padding"), (text + "\n", "white_space"),
      (String(text.prefix(64)) + "\r\n" + text.dropFirst(64), "white_space"),
      (text.replacing("+", with: " "), "space_for_plus"), (text.replacing("/", with: "%2F"), "percent_encoded"),
      (base64(raw), "raw_signature"), (String(decoding: hexadecimal, as: UTF8.self), "hexadecimal"),
      (base64(der + [0]), "loose_der"),
    ] where written != text {
      let diagnosis = try diagnosis(real.object.with(["attribution-signature": Object.quoted(written)]))
      let words = try #require(diagnosis.reencodings, "\(word)")
      #expect(words.filter { !$0.hasPrefix("zero_filled") } == [word])
    }
  }

  @Test func `a value of another JSON type is read`() throws {
    for (object, word) in [
      (RealPostback.v3.object.with(["campaign-id": "\"042\""]), "retyped campaign-id"),
      (RealPostback.v3.object.with(["campaign-id": "\" 42.0\""]), "retyped campaign-id"),
      (RealPostback.v3.object.with(["did-win": "\"yes\""]), "retyped did-win"),
      (RealPostback.v4.object.with(["source-app-id": "0"]), "zero_filled source-app-id"),
    ] {
      #expect(try diagnosis(object).reencodings == [word])
    }
  }

  @Test(arguments: [
    (RealPostback.v3, "campaign-id", "42.0"), (.v3, "did-win", "1"), (.v3, "redownload", "\"True\""),
    (.v4, "source-identifier", "5239"), (.v4, "app-id", "5.25463029e8"), (.v4, "conversion-value", "64"),
    (.v4, "note", "\"\\ud83d\""),
  ])
  func `an accepted spelling is not reported`(_ real: RealPostback, key: String, json: String) throws {
    let text = Array(real.object.with([key: json]).text.utf8)
    #expect(try verification(of: text).state == .valid)
    #expect(try Diagnoser(TrustPolicy.apple()).diagnose(text).code == "unaltered")
  }

  @Test func `lost leading zeros are restored`() throws {
    let signer = try Signer(.p256, id: "ours")
    var trust = try TrustPolicy.apple()
    try trust.add("ours", base64: signer.base64)
    let signed = try signer.sign(RealPostback.v4.object.with(["source-identifier": "\"0039\""]))
    let text = signed.with(["source-identifier": "39"]).text
    let recovery = try #require(try Diagnoser(trust).diagnose(Array(text.utf8)).recovery)
    #expect(recovery.edits == [.init(field: .sourceIdentifier, original: "0039", arrived: "39")])
  }

  @Test func `the recovered postback verifies and has the signed text`() throws {
    let edited = try diagnosis(RealPostback.v3.object.with(["campaign-id": "77", "conversion-value": "63"]))
    let recovery = try #require(edited.recovery)
    #expect(edited.summary == "The campaign was changed from 42 to 77.")
    #expect(recovery.keyID == "apple-cas-identifier/0")
    #expect(Object(recovery.postback).string("conversion-value") == nil)
    #expect(try verification(of: Array(recovery.postback.utf8)).state == .valid)
    let lost = try diagnosis(RealPostback.v3.object.with(["did-win": "false"]))
    #expect(lost.summary == "A won attribution was presented as lost.")
  }

  @Test func `an envelope is opened, also one with the body in base64`() throws {
    let edited = RealPostback.v3.object.with(["campaign-id": "77"]).bytes
    let encoded = String(decoding: Base64.standard.encode(edited), as: UTF8.self)
    let plain = try Diagnoser(TrustPolicy.apple()).diagnose(edited)
    let enveloped = try Diagnoser(TrustPolicy.apple()).diagnose(Array("{\"body_base64\":\"\(encoded)\"}".utf8))
    #expect(plain == enveloped && plain.recovery != nil)
  }

  @Test func `a test postback that is not allowed is named as a test, edited or not`() throws {
    var trust = try TrustPolicy.apple()
    let signer = try Signer(.p256, id: "test")
    try trust.append("test", .development, signer.base64)
    let diagnoser = try Diagnoser(trust)
    let test = try signer.sign(RealPostback.v3.object)
    let unaltered = try diagnoser.diagnose(test.bytes)
    guard case .unaltered(let recovery) = unaltered.finding else { throw Unexpected(unaltered) }
    #expect(recovery.keyID == "test")
    #expect(
      unaltered.summary.hasPrefix(
        "The signed fields are as Apple signed them. It is signed with a development key of Apple"
      )
    )
    let edited = try diagnoser.diagnose(test.with(["campaign-id": "77"]).bytes)
    #expect(edited.edits == ["campaign-id: 42 -> 77"])
    #expect(edited.summary.contains("a test and not an install"))
  }

  @Test func `a postback that Apple never signed is not recovered`() throws {
    for real in RealPostback.all where real.signatureState == "invalid" {
      let diagnosis = try diagnosis(real.object)
      guard case .noVariantFound = diagnosis.finding else { throw Unexpected(diagnosis) }
    }
  }

  struct Unexpected: Error {
    let diagnosis: Diagnosis
    init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }
  }
}

extension String {
  fileprivate var plain: (json: String, text: String)? { (self, self) }
}
