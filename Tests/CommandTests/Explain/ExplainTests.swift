import JSON
import TestSupport
import Testing

@Suite struct `postback explain` {
  @Test(arguments: RealPostback.all) func `prints the same verdict as run`(_ real: RealPostback) async throws {
    let result = try await BuiltCommand.run(["explain", "--json"], input: real.bytes)
    #expect(result.status == 0)
    #expect(Object(Object(result.text)["signature"] ?? "{}").string("signature_state") == real.signatureState)
  }

  @Test func `shows the signed bytes as text and as base64, the key and the decoded meaning`() async throws {
    let result = try await BuiltCommand.run([
      "explain", Fixtures.path("postbacks/skadnetwork-4.0.jsonl"), "--line", "2", "--models", Fixtures.path("models"),
      "--received-at", "2026-03-10T00:00:00Z",
    ])
    for fact in [
      "4.0 ⁞ com.example ⁞ 39 ⁞ 525463029 ⁞ 6aafb7a5-0170-41b5-bbe4-fe71dedf1e31 ⁞ false ⁞ example.com ⁞ 1 ⁞ true ⁞ 0",
      "NC4w4oGjY29tLmV4YW1wbGXigaMzOeKBozUyNTQ2MzAyOeKBozZhYWZiN2E1", "apple-cas-identifier/0", "P-256, production",
      "install_date_earliest    2026-03-06T00:00:00Z", "revenue", "64.5 (from 10) USD", "yes, unless it is a duplicate",
    ] { #expect(result.text.contains(fact), "\(fact)") }
  }

  @Test(arguments: [
    ("branch.csv", ["--mapping", "branch", "--line", "3"], "example123.skadnetwork"),
    ("aws-sqs.jsonl", ["--mapping", "aws-sqs", "--record", "3"], "5239"), ("postbacks.csv", ["--line", "2"], "2.2"),
  ]) func `reads CSV and mapped inputs as run does`(_ file: String, _ options: [String], _ fact: String) async throws {
    let result = try await BuiltCommand.run(["explain", Fixtures.path("inputs/\(file)")] + options)
    #expect(result.status == 0 && result.text.contains("yes, unless it is a duplicate"), "\(result.text)")
    #expect(result.text.contains(fact), "\(result.text)")
    let both = ["explain", Fixtures.path("inputs/\(file)"), "--mapping", "branch", "--format-in", "csv"]
    #expect(try await BuiltCommand.run(both).status == 64)
  }

  @Test(arguments: Fixtures.files(in: "hostile"))
  func `explains every rejected record`(_ file: String) async throws {
    let result = try await BuiltCommand.run(["explain", Fixtures.path(file), "--json"])
    #expect(result.status == 0)
    let outcome = Object(Object(result.text)["outcome"] ?? "{}")
    #expect(["no", "yes, unless it is a duplicate"].contains(outcome.string("accepted")))
  }

  @Test func `shows what was changed in a postback that Apple signed, and what Apple signed`() async throws {
    let edited = RealPostback.v3.object.with(["campaign-id": "77", "did-win": "false"])
    let text = try await BuiltCommand.run(["explain"], input: Array(edited.text.utf8)).text
    for fact in [
      "recovered", "The campaign was changed from 42 to 77.", "A won attribution was presented as lost.",
      "42 as signed, 77 as it arrived", "signature_invalid", "apple-cas-identifier/0",
    ] { #expect(text.contains(fact), "\(fact)") }
    let json = try await BuiltCommand.run(["explain", "--json"], input: Array(edited.text.utf8)).text
    let diagnosis = Object(Object(json)["diagnosis"] ?? "{}")
    #expect(diagnosis.keys == (try Schema("diagnosis")["required"]?.strings))
    #expect(diagnosis.string("finding") == "recovered")
    let signed = Array((diagnosis.string("signed_postback") ?? "").utf8)
    let again = Object(try await BuiltCommand.run(["explain", "--json"], input: signed).text)
    #expect(Object(again["signature"] ?? "{}").string("signature_state") == "valid")
  }

  @Test func `tries values of accepted postbacks if their tables are given`() async throws {
    let folder = try TemporaryFolder()
    let dump = try folder.makeFile("dump", holding: RealPostback.v3.bytes)
    #expect(try await BuiltCommand.run(["run", dump, "--out", folder.path("out")]).status == 0)
    let edits = [["app-id": "1"], ["transaction-id": "\"mine\"", "campaign-id": "7"]]
    let facts = [
      ("recovered", "525463029 as signed, 1 as it arrived"), ("stolen_signature", "as signed, mine as it arrived"),
    ]
    for (edit, (finding, found)) in zip(edits, facts) {
      let input = Array(RealPostback.v3.object.with(edit).text.utf8)
      let alone = try await BuiltCommand.run(["explain"], input: input)
      #expect(alone.text.contains("no_variant_found"))
      let result = try await BuiltCommand.run(["explain", "--known", folder.path("out")], input: input)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.text.contains(finding) && result.text.contains(found), "\(result.text)")
    }
    #expect(try await BuiltCommand.run(["explain", dump, "--known", folder.path("none")]).status == 66)
    #expect(try await BuiltCommand.run(["explain", dump, "--known", dump]).status == 64)
  }

  @Test(arguments: RealPostback.all) func `diagnoses rejected postbacks only`(_ real: RealPostback)
    async throws
  {
    let result = Object(try await BuiltCommand.run(["explain", "--json"], input: real.bytes).text)
    let isRejected = Object(result["outcome"] ?? "{}").string("reject_code") == "signature_invalid"
    #expect((result["diagnosis"] != nil) == isRejected)
  }

  @Test func `names the lines without a postback`() async throws {
    let file = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    let result = try await BuiltCommand.run(["explain", file, "--line", "9"])
    #expect(result.status == 66)
    #expect(result.errorText.contains("No postback starts at line 9 of \(file)."))
  }
}
