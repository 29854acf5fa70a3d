import ConversionModel
import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `Schemas and models` {
  private static let forms = [
    ("appsflyer", "appsflyer-skan4.json", []), ("appsflyer", "appsflyer-skan3.json", []),
    ("adjust", "adjust-skan3.json", []), ("google-ads", "google-ads.json", []),
    ("adjust", "adjust-skan4.json", ["--app", "1125517808", "--currency", "EUR"]),
  ]

  private func model(_ arguments: [String], input: [UInt8] = []) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["model"] + arguments, input: input)
  }

  @Test(arguments: forms)
  func `are exchanged: what is imported is taken by model check and run, and exported`(
    _ form: String,
    _ fixture: String,
    _ options: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let file = folder.path("model.json")
    let schema = Fixtures.path("exchange/\(fixture)")
    let imported = try await model(["import", "--as", form, schema, "--out", file] + options)
    #expect(imported.status == 0 && imported.output.isEmpty, "\(imported.errorText)")
    let refused = try await model(["import", "--as", form, schema, "--out", file] + options)
    #expect(refused.status == 73, "\(refused.errorText)")
    let checked = try await model(["check", file])
    #expect(checked.status == 0, "\(checked.errorText)")
    let dump = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    let run = try await BuiltCommand.run(["run", dump, "--models", file, "--out", folder.path("out")])
    #expect(run.status == 0, "\(run.errorText)")
    let exported = try await model(["export", "--as", "google-ads", file, "--json"])
    #expect(exported.status == 0 && exported.errorText.isEmpty, "\(exported.errorText)")
    let answer = try JSONValue(parsing: exported.output)
    let app = try #require(try Models(loading: [file]).appIDs.first)
    #expect(answer["schema"]?["schema"]?["appId"]?.text == "\(app)")
    let lost = answer["lost"]?.elements?.compactMap { $0["what"]?.text } ?? []
    #expect(lost.contains("model_id, version"), "\(lost)")
  }

  @Test func `name the model that the schema becomes, and read standard input`() async throws {
    let options = ["--id", "af", "--model-version", "7", "--from", "2026-03-01", "--json", "--app", "12345678"]
    let schema = Fixtures.bytes("exchange/appsflyer-skan3.json")
    let result = try await model(["import", "--as", "appsflyer", "-"] + options, input: schema)
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
    let answer = try JSONValue(parsing: result.output)
    let found = try #require(answer["models"])
    #expect(found["model_id"]?.text == "af" && found["version"]?.integer == 7)
    #expect(found["effective_from"]?.text == "2026-03-01T00:00:00Z")
    let lost = answer["lost"]?.elements ?? []
    let hours = lost.first { $0["what"]?.text == "min_time_post_install, max_time_post_install" }
    #expect(hours?["places"] == .array([.string("window 0, value 1")]))
    let other = try await model(["import", "--as", "appsflyer", "-", "--app", "1"], input: schema)
    #expect(other.status == 65 && other.errorText.contains("There is no schema of app 1."), "\(other.errorText)")
  }

  @Test func `decode the same values after an exchange with Google Ads, but for what is listed`() async throws {
    let folder = try TemporaryFolder()
    let models = Fixtures.path("models")
    let chosen = [models, "--app", "525463029", "--model", "revenue@2"]
    let there = try await model(["export", "--as", "google-ads", "--out", folder.path("g.json")] + chosen)
    #expect(there.status == 0 && there.errorText.contains("lost: effective_from, effective_to: "), "\(there.errorText)")
    let back = try await model(["import", "--as", "google-ads", folder.path("g.json"), "--out", folder.path("m.json")])
    #expect(back.status == 0, "\(back.errorText)")
    for value in ["0", "3", "12", "40"] {
      let texts = [
        try await model(["decode", "--value", value, "--json"] + chosen),
        try await model(["decode", "--value", value, "--json", folder.path("m.json")]),
      ].map { try? JSONValue(parsing: $0.output) }
      #expect(texts[0]?["events"] == texts[1]?["events"] && texts[0]?["skan_revenue"] == texts[1]?["skan_revenue"])
      #expect(texts[0]?["decode_status"]?.text == "decoded")
    }
  }

  @Test(arguments: [
    (["import", "x.json"], 64, "Give --as"), (["import", "--as", "adjust"], 64, "Give one file"),
    (["import", "--as", "meta", "x.json"], 64, "Meta describes to partners only"),
    (["export", "--as", "tiktok", "x.json"], 64, "TikTok describes to partners only"),
    (["export", "--as", "appsflyer", "x.json"], 64, "The forms are google-ads."),
    (["import", "--as", "adjust", "/nowhere/x.json"], 66, "/nowhere/x.json"),
    (["export", "--as", "google-ads", Fixtures.path("models")], 64, "Several models match."),
    (
      [
        "export", "--as", "google-ads", Fixtures.path("models"), "--app", "525463029", "--model", "revenue@1",
        "--event-name", "purchases=x",
      ], 64, "has no event purchases"
    ),
    (["import", "--as", "appsflyer", Fixtures.path("costs/cost.csv")], 65, "the columns of the CSV"),
  ])
  func `are refused in a sentence where they cannot be exchanged`(
    _ arguments: [String],
    _ status: Int32,
    _ message: String
  ) async throws {
    let result = try await model(arguments)
    #expect(result.status == status && result.output.isEmpty)
    #expect(result.errorText.contains(message), "\(result.errorText)")
  }

  @Test func `that are wrong are refused with file, line and place, and nothing is written`() async throws {
    let folder = try TemporaryFolder()
    var text = String(decoding: Fixtures.bytes("exchange/appsflyer-skan4.json"), as: UTF8.self)
    text.replace("\"conversion_value\": 5,", with: "\"conversion_value\": \"\u{1B}[2J\",")
    text.replace("\u{1B}", with: "\\u001b")
    let file = try folder.makeFile("schema.json", holding: Array(text.utf8))
    let result = try await model(["import", "--as", "appsflyer", file, "--out", folder.path("model.json")])
    #expect(result.status == 65)
    let place = "line 21: /data/postbacks/0/conversion_value_mapping/fine/1/conversion_value"
    #expect(result.errorText.contains("schema.json: \(place): The value must be an integer"), "\(result.errorText)")
    #expect(!result.errorText.contains("\u{1B}"))
    #expect(try folder.names == ["schema.json"])
  }
}
