import Base
@testable import PostbackVerification
import ConversionModel
import SKAdNetwork
import TestSupport
import Testing

@testable import PostbackPipeline

/// A hostile fixture and the expected outcomes of its records.
struct HostileFixture: CustomTestStringConvertible {
  let file: String
  let accepted: Int
  let codes: [String]

  var testDescription: String { file }

  static let all = Fixtures.objects("hostile.truth.jsonl").map { entry in
    HostileFixture(
      file: entry.string("file") ?? "",
      accepted: entry["accepted"].flatMap { Int($0) } ?? -1,
      codes: (entry["codes"] ?? "").split { !$0.isLetter && $0 != "_" && !$0.isNumber }.map(String.init)
    )
  }
}

@Suite struct `The pipeline` {
  @Test(arguments: HostileFixture.all)
  func `rejects each record of hostile input with its code`(_ fixture: HostileFixture) async throws {
    let outcomes = try await Flow().outcomes(ofFixture: "hostile/" + fixture.file)
    #expect(outcomes.compactMap(\.rejectCode?.rawValue) == fixture.codes)
    #expect(outcomes.count - fixture.codes.count == fixture.accepted)
  }

  @Test(
    arguments: [
      "array.json", "array-compact.json", "envelopes.jsonl", "lines.jsonl.gz", "lines.jsonl.zst", "objects.json",
    ]
  )
  func `has the same rows for every form of input`(_ form: String) async throws {
    func summary(_ fates: [Fate]) -> Set<String> {
      Set(fates.compactMap { $0.rejectCode?.rawValue ?? $0.text($0.verified?.parsed.postback.transactionID) })
    }
    let lines = try await summary(Flow().outcomes(of: RealPostback.all.map(\.bytes)))
    let found = try await summary(Flow().outcomes(ofFixture: "forms/" + form))
    #expect(!found.isEmpty && found.isSubset(of: lines))
  }

  @Test func `distinguishes identical copies, edited copies, and other postbacks with the same transaction`()
    async throws
  {
    let v4 = RealPostback.v4
    let lines =
      [
        v4.object.with(["transaction-id": "\"forged\""]), v4.object, v4.object.with(["extra": "1"]),
        v4.object.with(["conversion-value": "0"]), v4.object.without("conversion-value"),
      ].map { Array($0.text.utf8) } + [RealPostback.v22.bytes, RealPostback["apple-doc-2.1"].bytes]
    let outcomes = try await Flow().outcomes(of: lines)
    #expect(
      outcomes.map(\.rejectCode) == [
        .signatureInvalid, nil, .duplicateIdentical, .duplicateConflict, .duplicateConflict, nil, .duplicateTransaction,
      ]
    )
    #expect(outcomes[3].rejection?.conflicts == [.init(field: .conversionValue, first: "63", later: "0")])
    #expect(outcomes[4].rejection?.conflicts == [.init(field: .conversionValue, first: "63", later: nil)])
    #expect(outcomes[3].rejection?.firstSeen == outcomes[1].verified?.key)
  }

  /// Apple's development example is a re-engagement of this app with the fine value 24; its 4.0 example has 63.
  @Test func `decodes a postback by the window of its conversion type`() async throws {
    func model(app: Int, type: String, value: Int) -> String {
      """
      {"app_id":\(app),"model_id":"m","version":1,"effective_from":null,"windows":[
      {"postback_sequence_index":0,"fine":{"\(value)":[]}},
      {"postback_sequence_index":0,"conversion_type":"\(type)","fine":{"\(value)":[{"event":"own"}]}}]}
      """
    }
    var flow = try Flow()
    flow.trust.allowsDevelopment = true
    for (type, expected) in [("install", ["", "own"]), ("re-engagement", ["own", ""])] {
      let models = [model(app: 10_738_027_756, type: type, value: 24), model(app: 525_463_029, type: type, value: 63)]
      flow.models = try Models(parsing: Array("[\(models.joined(separator: ","))]".utf8), file: "m.json")
      var names: [String] = []
      for file in ["adattributionkit", "skadnetwork-4.0"] {
        for fate in try await flow.outcomes(ofFixture: "postbacks/\(file).jsonl") {
          guard case .accepted(let decoded) = fate.outcome, decoded.decoding.status == .decoded else { continue }
          names.append(decoded.decoding.events.map(\.name).joined())
        }
      }
      #expect(names == expected)
    }
  }

  @Test func `decodes a coarse value despite a fine value of 0 that a forwarder filled in`() async throws {
    var flow = try Flow()
    flow.models = try Models(loading: [Fixtures.path("models")])
    flow.receivedAt = ReceivedAtRule(time: Timestamp("2026-03-10T00:00:00Z"))
    let filled = RealPostback.v4Coarse.object.with(["conversion-value": "0"])
    let fate = try await flow.outcomes(of: [Array(filled.text.utf8)])[0]
    guard case .accepted(let decoded) = fate.outcome else {
      Issue.record("rejected")
      return
    }
    #expect(decoded.decoding.revenue?.estimate.description == "64.5")
  }

  @Test func `keeps the time and channel of receipt in reject rows`() async throws {
    let body = RealPostback.v4.object.with(["app-id": "-1"]).text
    let envelope =
      #"{"received_at":"2026-11-01T10:00:00Z","channel":"network_forwarded","forwarder":"n","body":\#(body)}"#
    let fate = try await Flow().outcomes(of: [Array(envelope.utf8)])[0]
    #expect(fate.rejectCode == .outOfRange)
    #expect(fate.rejection?.arrival.receivedAt?.description == "2026-11-01T10:00:00Z")
    #expect(fate.rejection?.arrival.channel == .networkForwarded)
    #expect(fate.text(fate.rejection?.arrival.forwarder) == "n")
  }

  @Test func `accepts a genuine postback after a forgery with the same transaction`() async throws {
    let forged = Array(RealPostback.v3.object.with(["app-id": "1"]).text.utf8)
    let outcomes = try await Flow().outcomes(of: [forged, RealPostback.v3.bytes])
    #expect(outcomes.map(\.rejectCode) == [.signatureInvalid, nil])
  }

  @Test func `takes the time of receipt from the envelope, the option, the field or the file, in that order`()
    async throws
  {
    var flow = try Flow()
    func arrival(_ line: String) async throws -> Arrival {
      try #require(try await flow.outcomes(of: [Array(line.utf8)])[0].verified).parsed.arrival
    }
    let body = RealPostback.v21.object.text
    let envelope = #"{"received_at":"2026-11-01T10:00:00+01:00","channel":"apple_direct","body":\#(body)}"#
    #expect(try await arrival(body).source == nil)
    flow.receivedAt = ReceivedAtRule(field: "timestamp")
    #expect(try await arrival(body).receivedAt?.description == "2021-02-12T02:08:49Z")
    #expect(try await arrival(body).source == .field)
    flow.receivedAt = ReceivedAtRule(time: Timestamp("2026-03-10T00:00:00Z"), field: "timestamp")
    #expect(try await arrival(body).source == .option)
    #expect(try await arrival(envelope).receivedAt?.description == "2026-11-01T09:00:00Z")
    #expect(try await arrival(envelope).source == .envelope)
    #expect(try await arrival(envelope).channel == .appleDirect)
  }
}
