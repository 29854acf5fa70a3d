import CopySettlement
import JSON
import Tables
import TestSupport
import Testing

extension SettleTests {
  @Test func `a corrected model reaches old postbacks`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, value: 20)], in: folder)
    try folder.makeFile("corrected.json", holding: Self.corrected)
    let summary = try await settle(folder, ["--models", folder.path("corrected.json")])
    guard case .array(let changes)? = summary["changes"] else { return }
    #expect(changes.map { $0["rows"]?.integer } == [1])
    #expect(changes.first?["revenue_before"] == .number("8.75"))
    #expect(changes.first?["revenue_after"] == .number("9"))
    #expect(try rows(folder).first?["effective_revenue"] == .number("9"))
    // The next settlement does not undo it, and says so; nor does a run with the old model.
    for _ in 0..<2 {
      let plain = try await BuiltCommand.run(["settle", folder.path("out"), "--lookups", Fixtures.path("lookups")])
      #expect(plain.status == 0 && plain.errorText.contains("an earlier settlement was given are used"))
      #expect(try rows(folder).first?["effective_revenue"] == .number("9"))
      try await run([copy(20, value: 20)], in: folder)
    }
    // The models of the run are in the state, and can be given again.
    #expect(try await settle(folder, ["--models", Fixtures.path("models")])["changes"] == .array([]))
    #expect(try await settle(folder)["changes"] == .array([]))
  }

  /// The models of the fixtures, in which the one for 2026 has another version, and a value of 20 is worth more.
  private static let corrected = Array(changed.replacing(#""version": 2,"#, with: #""version": 99,"#).utf8)

  /// The same with the version of the fixtures.
  private static let changed: String = {
    let model = String(decoding: Fixtures.bytes("models/525463029.json"), as: UTF8.self)
    return model.replacing("8.5, \"max_revenue\": 9}", with: "8.5, \"max_revenue\": 9.5}")
  }()

  @Test func `a model with other content under the same version is refused, in settle as in run`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, value: 20)], in: folder)
    _ = try await settle(folder)
    let before = try folder.contents(of: "out/skan_settled/part-00000001.jsonl")
    try folder.makeFile("changed.json", holding: Array(Self.changed.utf8))
    for arguments in [
      ["settle", folder.path("out")], ["run", folder.path("dump-0.jsonl"), "--out", folder.path("out")],
    ] {
      let result = try await BuiltCommand.run(arguments + ["--models", folder.path("changed.json")])
      #expect(result.status == 65 && result.errorText.contains("an earlier run or settlement with other content"))
    }
    #expect(try folder.contents(of: "out/skan_settled/part-00000001.jsonl") == before)
    // The same holds for a model that a settlement alone has had.
    try folder.makeFile("corrected.json", holding: Self.corrected)
    _ = try await settle(folder, ["--models", folder.path("corrected.json")])
    let text = String(decoding: Self.corrected, as: UTF8.self).replacing("9.5}", with: "9.7}")
    try folder.makeFile("corrected.json", holding: Array(text.utf8))
    let run = [
      "run", folder.path("dump-0.jsonl"), "--out", folder.path("out"), "--models", folder.path("corrected.json"),
    ]
    #expect(try await BuiltCommand.run(run).status == 65)
  }

  @Test func `a model that run says it added is kept, also without a new row`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, value: 20)], in: folder)
    try folder.makeFile("corrected.json", holding: Self.corrected)
    let again = ["run", folder.path("dump-0.jsonl"), "--out", folder.path("out")]
    let result = try await BuiltCommand.run(again + ["--models", folder.path("corrected.json")])
    #expect(result.status == 0 && result.errorText.contains("@99 of app 525463029 was added"), "\(result.errorText)")
    _ = try await settle(folder)
    #expect(try rows(folder).first?["effective_revenue"] == .number("9"))
  }

  @Test func `a corrected model is the reason of changes also if copies have come since`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    func daily() async throws { #expect(try await BuiltCommand.run(["daily", out]).status == 0) }
    try await run([copy(20, value: 20)], in: folder)
    let first = try await settle(folder)
    // The models of the run are in the state.
    #expect(try await settle(folder, ["--models", Fixtures.path("models")])["models_digest"] == first["models_digest"])
    try await daily()
    try folder.makeFile("later.jsonl", holding: Array("\(copy(21, forwarder: "mmp", value: 20))\n".utf8))
    let run = ["run", folder.path("later.jsonl"), "--models", Fixtures.path("models"), "--out", out]
    #expect(try await BuiltCommand.run(run).status == 0)
    try folder.makeFile("corrected.json", holding: Self.corrected)
    let second = try await settle(folder, ["--models", folder.path("corrected.json")])
    #expect(second["models_digest"] != first["models_digest"])
    try await daily()
    let changes = try rows(folder, "skan_daily_changes").filter { $0["metric"]?.text == "revenue_max" }
    #expect(Set(changes.map { $0["date_type"]?.text }) == ["received", "install"])
    #expect(changes.allSatisfy { $0["reason"]?.text == "model" })
  }
}
