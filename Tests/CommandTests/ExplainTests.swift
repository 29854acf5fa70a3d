import JSON
import TestSupport
import Testing

@Suite struct `postback explain` {
  @Test(arguments: RealPostback.all) func `tells the verdict of run`(_ real: RealPostback) async throws {
    let result = try await BuiltCommand.run(["explain", "--json"], input: real.bytes)
    #expect(result.status == 0)
    #expect(Object(Object(result.text)["signature"] ?? "{}").string("signature_state") == real.signatureState)
  }

  @Test func `shows the signed bytes readably and as base64, the key and the meaning`() async throws {
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

  @Test(arguments: Fixtures.files(in: "hostile"))
  func `explains whatever is rejected`(_ file: String) async throws {
    let result = try await BuiltCommand.run(["explain", Fixtures.path(file), "--json"])
    #expect(result.status == 0)
    let outcome = Object(Object(result.text)["outcome"] ?? "{}")
    #expect(["no", "yes, unless it is a duplicate"].contains(outcome.string("accepted")))
  }

  @Test func `says which line has no postback`() async throws {
    let file = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    let result = try await BuiltCommand.run(["explain", file, "--line", "9"])
    #expect(result.status == 66)
    #expect(result.errorText.contains("\(file) has no postback at line 9"))
  }
}
