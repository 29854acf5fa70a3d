import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `postback rejects --diagnose` {
  @Test func `finds exactly the edits of many rejects`() async throws {
    let site = try await RejectsSite.shared.value
    let query = ["--where", "reject_code=signature_invalid", "--where", "version=4.0"]
    let answer = try await site.answer(query + ["--diagnose", "--diagnose-limit", "40"] + site.keys)
    let tampering = try #require(answer["tampering"])
    #expect(tampering["diagnosed"]?.integer == 40)
    let matching = site.rejects.filter { $0.cell("reject_code") == "signature_invalid" && $0.cell("version") == "4.0" }
    #expect(tampering["diagnosable"]?.integer == Int64(matching.count))
    #expect(tampering["groups"]?.array.reduce(0) { $0 + ($1["rejects"]?.integer ?? 0) } == 40)
    var edits: [[String?]: Int64] = [:]
    for row in site.truth where row.cell("kind") == "edited" {
      edits[[row.cell("field"), row.cell("original"), row.cell("edited")], default: 0] += 1
    }
    var recovered: Int64 = 0
    for change in tampering["changes"]?.array ?? [] {
      let edit = [change["field"]?.text, change["original"]?.text, change["arrived"]?.text]
      let count = try #require(change["rejects"]?.integer)
      #expect(count <= edits[edit] ?? 0, "\(edit)")
      recovered += count
    }
    // Two in three are edited, and transaction ids cannot be searched.
    #expect(recovered >= 15)
  }

  @Test func `groups different postbacks with the same signature or transaction`() async throws {
    let genuine = RealPostback.v3.object
    let dump = [
      genuine, RealPostback.v4.object, genuine, genuine.with(["conversion-value": "63"]),
      genuine.with(["campaign-id": "1"]), genuine.with(["campaign-id": "1"]),
      genuine.with(["transaction-id": "\"mine\""]),
      genuine.with(["transaction-id": "\"another\"", "attribution-signature": "\"AAAA\""]),
      RealPostback.v4.object.with(["did-win": "false", "attribution-signature": genuine["attribution-signature"]]),
    ]
    // A copy of a postback with a field that its version does not have, which is not part of its row.
    let filled = Fixtures.lines("postbacks/skadnetwork-2.2.jsonl")[1]
    let folder = try TemporaryFolder()
    let lines = dump.map { Array($0.text.utf8) } + [filled, filled]
    try folder.makeFile("dump", holding: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    let run = try await BuiltCommand.run(["run", folder.path("dump"), "--out", folder.path("out")])
    #expect(run.status == 0, "\(run.errorText)")
    let result = try await BuiltCommand.run(["rejects", folder.path("out"), "--format", "json", "--diagnose"])
    #expect(result.status == 0, "\(result.errorText)")
    let related = try #require(try JSONValue(parsing: result.output)["tampering"]?["related"])
    #expect(related["signatures"] == .integer(1) && related["transactions"] == .integer(2))
    let groups = try #require(related["groups"]).array
    let facts = groups.map { group in
      group["members"]?.array.map { [$0["reject_code"]?.text ?? "accepted", $0["postbacks"].map { "\($0)" } ?? ""] }
    }
    #expect(
      facts == [
        [
          ["duplicate_identical", "1"], ["duplicate_conflict", "1"], ["signature_invalid", "2"],
          ["signature_invalid", "1"], ["signature_invalid", "1"],
        ],
        [["accepted", "1"], ["duplicate_identical", "1"], ["duplicate_conflict", "1"], ["signature_invalid", "2"]],
        [["accepted", "1"], ["signature_invalid", "1"]],
      ]
    )
    let edited = try #require(groups[1]["members"]?.array[3])
    let values: [JSONValue.Member] = [.init("campaign-id", .string("1")), .init("conversion-value", .string("20"))]
    #expect(edited["values"] == .object(values))
  }
}
