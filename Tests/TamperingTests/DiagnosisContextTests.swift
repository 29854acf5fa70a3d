import Base
@testable import PostbackVerification
@testable import Tampering
import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

@Suite struct `Diagnosis with known values` {
  private let signer: Signer
  private var trust: TrustPolicy

  init() throws {
    signer = try Signer(.p256, id: "ours")
    trust = try TrustPolicy.apple()
    try trust.add("ours", base64: signer.base64)
  }

  private static let payload = """
    {"postback-identifier":"85546EB7-FD39-44BC-8990-C98A4AC36A49","publisher-item-identifier":4242,\
    "marketplace-identifier":"com.apple.AppStore","ad-network-identifier":"n7.adattributionkit","did-win":false,\
    "postback-sequence-index":0,"conversion-type":"download","source-identifier":"1234",\
    "advertised-item-identifier":10738027756,"note":"a\\/b"}
    """

  @Test func `an edited payload of a JWS is recovered`() throws {
    let diagnoser = try Diagnoser(trust, budget: 13_000)
    let signed = try signer.sign(payload: Self.payload)
    for (original, edited, edits) in [
      ("\"did-win\":false", "\"did-win\":true", ["did-win: false -> true"]),
      ("\"1234\"", "\"9999\"", ["source-identifier: 1234 -> 9999"]),
      ("\"1234\"", "\"34\"", ["source-identifier: 1234 -> 34"]),
      (":4242", ":0", nil),
      (":4242", ":4243", ["publisher-item-identifier: 4242 -> 4243"]),
      ("\"conversion-type\":\"download\",", "", ["conversion-type: download -> -"]),
      ("\"did-win\":false,", "", ["did-win: false -> -"]),
      ("\"note\"", "\"impression-type\":\"app-impression\",\"note\"", ["impression-type: - -> app-impression"]),
      (
        "n7.adattributionkit", "N7.ADATTRIBUTIONKIT",
        ["ad-network-identifier: n7.adattributionkit -> N7.ADATTRIBUTIONKIT"]
      ),
    ] as [(String, String, [String]?)] {
      let payload = Self.payload.replacing(original, with: edited)
      let text = String(decoding: Base64.url.encode(payload.utf8), as: UTF8.self)
      var parts = (signed.string("jws-string") ?? "").split(separator: ".").map(String.init)
      parts[1] = text
      let object = Object("{}").with(["jws-string": "\"\(parts.joined(separator: "."))\""])
      #expect(try diagnoser.diagnose(object.bytes).edits == edits, "\(edited)")
    }
  }

  @Test func `a re-encoded JWS is read`() throws {
    let diagnoser = try Diagnoser(trust)
    let jws = try signer.sign(payload: Self.payload).string("jws-string") ?? ""
    let parts = jws.split(separator: ".").map(String.init)
    func encoded(_ text: String) -> String { String(decoding: Base64.url.encode(text.utf8), as: UTF8.self) }
    let spaced = Self.payload.replacing("\":", with: "\": ")
    let unescaped = Self.payload.replacing("\\/", with: "/")
    let header = "{\"kid\": \"ours\", \"alg\": \"ES256\"}"
    for (json, words) in [
      (Object.quoted([parts[0], encoded(spaced), parts[2]].joined(separator: ".")), ["jws_payload"]),
      (Object.quoted([parts[0], encoded(unescaped), parts[2]].joined(separator: ".")), ["jws_payload"]),
      (Object.quoted([encoded(header), parts[1], parts[2]].joined(separator: ".")), ["jws_header"]),
      (Object.quoted(jws + "=="), ["padding"]),
      (Object.quoted(" " + jws), ["jws_base64"]),
      ("{\"payload\":\"\(parts[1])\",\"protected\":\"\(parts[0])\",\"signature\":\"\(parts[2])\"}", ["jws_object"]),
    ] {
      #expect(try diagnoser.diagnose(Object("{}").with(["jws-string": json]).bytes).reencodings == words)
    }
  }

  @Test func `the original key name of a JWS is recovered`() throws {
    let diagnoser = try Diagnoser(trust)
    let jws = try signer.sign(payload: Self.payload).string("jws-string") ?? ""
    let header = String(decoding: Base64.url.encode("{\"alg\":\"ES256\",\"kid\":\"other\"}".utf8), as: UTF8.self)
    let edited = header + jws.drop { $0 != "." }
    let diagnosis = try diagnoser.diagnose(Object("{}").with(["jws-string": "\"\(edited)\""]).bytes)
    #expect(diagnosis.edits == ["kid: ours -> other"])
  }

  @Test func `values of other postbacks are tried, alone and in pairs`() throws {
    let signed = try signer.sign(RealPostback.v3.object.with(["source-app-id": "1592653589"]))
    let edited = signed.with(["source-app-id": "77", "app-id": "99", "campaign-id": "1"])
    #expect(try Diagnoser(trust).diagnose(edited.with(["campaign-id": "42"]).bytes).edits == nil)
    var context = DiagnosisContext()
    for app in ["1", "2", "1592653589"] { context.note(app, of: .sourceAppID) }
    for app in ["3", "525463029"] { context.note(app, of: .appID) }
    let diagnoser = try Diagnoser(trust, context: context)
    #expect(
      try diagnoser.diagnose(edited.with(["campaign-id": "42"]).bytes).edits == [
        "app-id: 525463029 -> 99", "source-app-id: 1592653589 -> 77",
      ]
    )
    #expect(
      try diagnoser.diagnose(signed.without("source-app-id").bytes).edits == ["source-app-id: 1592653589 -> -"]
    )
  }

  @Test func `a signature copied from a genuine postback leads to its transaction`() throws {
    var context = DiagnosisContext()
    for real in RealPostback.genuine { context.addGenuine(record: real.bytes) }
    let aak = try signer.sign(payload: Self.payload)
    context.addGenuine(record: aak.bytes)
    let diagnoser = try Diagnoser(trust, context: context)
    for real in RealPostback.genuine {
      let renamed = try diagnoser.diagnose(real.object.with(["transaction-id": "\"mine\""]).bytes)
      #expect(renamed.edits == ["transaction-id: \(real.object.string("transaction-id") ?? "") -> mine"])
      let other = real.object.with([
        "transaction-id": "\"mine\"", "app-id": "8", "ad-network-id": "\"me.skadnetwork\"",
        real.version == "4.0" ? "source-identifier" : "campaign-id": real.version == "4.0" ? "\"00\"" : "1",
      ])
      let taken = try diagnoser.diagnose(other.bytes)
      guard case .stolenSignature(let recovery, let owner) = taken.finding else { throw Unexpected(taken) }
      #expect(owner.transactionID == real.object.string("transaction-id"))
      #expect(recovery?.edits.count == 4)
    }
    let payload = Self.payload.replacing("85546EB7", with: "11111111").replacing("4242", with: "5")
      .replacing("1234", with: "77").replacing("10738027756", with: "6")
    var parts = (aak.string("jws-string") ?? "").split(separator: ".").map(String.init)
    parts[1] = String(decoding: Base64.url.encode(payload.utf8), as: UTF8.self)
    let taken = try diagnoser.diagnose(Object("{}").with(["jws-string": "\"\(parts.joined(separator: "."))\""]).bytes)
    #expect(taken.code == "stolen_signature")
  }

  @Test func `random forgeries are never recovered`() throws {
    var context = DiagnosisContext()
    for real in RealPostback.genuine { context.addGenuine(record: real.bytes) }
    let diagnoser = try Diagnoser(trust, context: context, budget: 100)
    var random = SplitMix(seed: 5)
    let impostor = try Signer(.p256, id: "theirs", seed: "another")
    var reasons = Set<Diagnosis.Reason>()
    for number in 0..<400 {
      var object = RealPostback.genuine[number % RealPostback.genuine.count].object
      object["transaction-id"] = "\"\(random.next())\""
      if number % 2 == 0 {
        let numbers = (0..<64).map { _ in UInt8.random(in: 1..<127, using: &random) }
        let signature = Base64.standard.encode(SignatureForm.der.bytes(ofRaw: numbers))
        object["attribution-signature"] = "\"\(String(decoding: signature, as: UTF8.self))\""
      } else {
        object = try impostor.sign(object)
      }
      let diagnosis = try diagnoser.diagnose(object.bytes)
      guard case .noVariantFound(let reason) = diagnosis.finding else { throw Unexpected(diagnosis) }
      reasons.insert(reason)
    }
    #expect(reasons == [.budget, .impossibleSignature])
  }

  @Test func `many postbacks are diagnosed in order`() async throws {
    let records =
      RealPostback.all.map { $0.object.with(["redownload": "true"]).bytes }
      + Fixtures.files(in: "hostile").filter { $0.hasSuffix(".jsonl") }.flatMap { Fixtures.lines($0) }
      + [[], Array("{}".utf8), Array("[1]".utf8), Array(repeating: 0x5B, count: 9999)]
    let diagnoser = try Diagnoser(trust, budget: 50)
    let alone = try records.map { try diagnoser.diagnose($0) }
    #expect(try await diagnoser.diagnose(records, jobs: 4) == alone)
    #expect(alone.last?.finding == .noVariantFound(.unreadablePostback))
    for diagnosis in alone {
      #expect(Set(Diagnosis.codes).contains(diagnosis.code))
      #expect(diagnosis.tried <= 50)
    }
  }

  @Test func `the search stays within its budget`() throws {
    let forged = try Signer(.p256, id: "theirs", seed: "another").sign(RealPostback.v4.object)
    for budget in [0, 1, 63, 64, 65, 1000] {
      let diagnosis = try Diagnoser(trust, budget: budget).diagnose(forged.bytes)
      #expect(diagnosis.finding == .noVariantFound(.budget))
      #expect(diagnosis.tried == budget)
    }
  }

  @Test func `related postbacks are found by signature and transaction`() throws {
    func related(_ object: Object) throws -> RelatedPostback { try #require(RelatedPostback(record: object.bytes)) }
    let v3 = try related(RealPostback.v3.object)
    let otherValue = try related(RealPostback.v3.object.with(["conversion-value": "63"]))
    #expect(otherValue.signature == v3.signature && otherValue.transaction == v3.transaction)
    #expect(otherValue.content != v3.content && otherValue.values[.conversionValue] == Array("63".utf8))
    let replayed = try related(RealPostback.v3.object.with(["transaction-id": "\"mine\""]))
    #expect(replayed.signature == v3.signature && replayed.transaction != v3.transaction)
    let other = try related(RealPostback.v4.object)
    #expect(other.signature != v3.signature && other.transaction != v3.transaction)
    let otherWindow = try related(RealPostback.v4.object.with(["postback-sequence-index": "2"]))
    #expect(otherWindow.transaction != other.transaction)
    #expect(RelatedPostback(record: Array("{}".utf8)) == nil)
  }

  struct Unexpected: Error {
    let diagnosis: Diagnosis
    init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }
  }
}
