import Answers
import ConversionModel
import JSON
import TestSupport
import Testing

@testable import postback

/// The commands of `postback model`.
@Suite struct ModelCommandTests {
  private static let game = [Fixtures.path("models"), "--app", "6740000001"]

  private func model(_ arguments: String...) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["model", arguments[0]] + Self.game + arguments.dropFirst())
  }

  private func json(_ result: BuiltCommand.Result) throws -> JSONValue {
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  @Test func `show prints every value, and prints a model file with --json`() async throws {
    let shown = try await model("show", "--model", "ladder@1")
    #expect(shown.status == 0)
    let lines = shown.text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.count == 32)
    #expect(lines.contains("0 low 0 purchase 0+ for 0 to below 0.99"))
    #expect(lines.contains("15 high 150 purchase 1+ for 99.99 or more"))
    let window = try await model("show", "--model", "ladder@2", "--window", "2")
    #expect(window.text.split(separator: "\n").count == 6)

    let file = try await model("show", "--json")
    let again = try Models(parsing: file.output, file: "shown")
    let models = try Models(loading: [Fixtures.path("models")])
    #expect(again.models(for: 6_740_000_001).map(\.label) == models.models(for: 6_740_000_001).map(\.label))
  }

  @Test func `decode reverses encode`() async throws {
    let encoded = try json(
      await model(
        "encode",
        "--installed-at",
        "2026-07-01",
        "--event",
        "sign_up",
        "--event",
        "purchase=2",
        "--revenue",
        "12.5",
        "--json"
      )
    )
    #expect(encoded["fine"]?.integer == 34)
    #expect(encoded["coarse"]?.text == "high")
    #expect(encoded["exact"] == .bool(true))
    #expect(encoded["lock_window"] == .bool(false))
    let decoded = try json(await model("decode", "--installed-at", "2026-07-01", "--value", "34", "--json"))
    #expect(decoded["decode_status"]?.text == "decoded")
    #expect(decoded["model_version"]?.integer == 2)
    #expect(decoded["min_revenue"]?.decimal ?? 99 <= 12.5)
    #expect(decoded["max_revenue"]?.decimal ?? 0 > 12.5)
    let mistyped = try await model("encode", "--model", "ladder@1", "--event", "purchse")
    #expect(mistyped.status == 0 && mistyped.errorText.contains(#"has no event "purchse""#), "\(mistyped.errorText)")
    let text = try await model("encode", "--model", "ladder@1", "--revenue", "1e9")
    #expect(text.text.contains("fine value    15\ncoarse value  high\nlock window   yes\nexact         yes"))
  }

  @Test func `decode uses the window of the conversion type, and coarse values`() async throws {
    let engaged = try json(
      await model("decode", "--model", "ladder@2", "--value", "3", "--conversion-type", "re-engagement", "--json")
    )
    #expect(engaged["events"]?.description.contains("level_complete") == true)
    let coarse = try await model("decode", "--model", "ladder@2", "--coarse", "high", "--window", "2")
    #expect(coarse.text.contains("last_active_day 21+"))
    let unmapped = try await model("decode", "--model", "ladder@1", "--value", "40")
    #expect(unmapped.status == 0)
    #expect(unmapped.text.contains("unmapped"))
  }

  @Test func `revenue of another currency is converted`() async throws {
    let folder = try TemporaryFolder()
    let text = "date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,USD,1.1\n"
    let rates = try folder.makeFile("rates.csv", holding: Array(text.utf8))
    let revenue = ["--revenue", "0.90", "--currency", "EUR", "--rates", rates]
    func encode(_ more: String...) async throws -> BuiltCommand.Result {
      try await BuiltCommand.run(["model", "encode"] + Self.game + revenue + more)
    }
    // 0.90 EUR are 0.99 USD, where the first bucket begins.
    #expect(try json(await encode("--installed-at", "2026-03-08", "--json"))["fine"]?.integer == 1)
    let missing = try await encode("--installed-at", "2026-04-08")
    #expect(missing.status == 65)
    #expect(missing.errorText.contains("rates.csv: There is no rate of EUR on 2026-04-08"))
    #expect(try await encode("--model", "ladder@1").status == 64)
  }

  @Test func `diff prints the changes, and its exit status says if there are any`() async throws {
    let path = Fixtures.path("models")
    func diff(_ one: String, _ other: String) async throws -> BuiltCommand.Result {
      try await BuiltCommand.run(["model", "diff", one, other, "--app", "525463029"])
    }
    let same = try await diff("\(path)#revenue@1", "\(path)/525463029.json#revenue@1")
    #expect(same.status == 0)
    let different = try await diff("\(path)#revenue@1", "\(path)#revenue@2")
    #expect(different.status == 1)
    #expect(different.text.contains("window 0, value 20"))
    #expect(different.errorText.contains("differ in"))
    #expect(try await diff(path, "\(path)#revenue@2").status == 64)
  }

  @Test(arguments: [
    ["decode"], ["decode", "--value", "1", "--coarse", "low"], ["decode", "--value", "64"], ["decode", "--value", "1"],
    ["decode", "--value", "1", "--model", "ladder@9"], ["decode", "--value", "1", "--installed-at", "2020-01-01"],
    ["encode", "--model", "ladder@1", "--event", "a=x"],
    ["encode", "--model", "ladder@1", "--event", "a", "--event", "a"],
    ["encode", "--model", "ladder@1", "--revenue", "-1"], ["encode", "--model", "ladder@1", "--window", "3"],
    ["show", "--model", "none@1"], ["show", "--app", "x"],
  ])
  func `exits with 64 for questions that cannot be answered`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(["model", arguments[0]] + Self.game + arguments.dropFirst())
    #expect(result.status == 64, "\(result.errorText)")
    #expect(result.errorText.hasPrefix("postback: "))
    #expect(result.text.isEmpty)
  }

  @Test(arguments: [
    (#","coarse":{"low":[{"event":"own"}]}"#, ["own", "b", "c"]), (#","coarse":{"medium":[]}"#, ["a", "", "c"]),
    (#","coarse":{}"#, ["a", "b", "c"]), ("", ["a", "b", "c"]),
  ])
  func `a coarse value without a meaning of its own has that of its fine values, also when shown and loaded again`(
    _ coarse: String,
    _ expected: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let fine = #""fine":{"1":[{"event":"a"}],"2":[{"event":"b"}],"3":[{"event":"c"}]}"#
    let window = #"{"postback_sequence_index":0,\#(fine),"coarse_from":{"medium":2,"high":3}\#(coarse)}"#
    let text = #"{"app_id":1,"model_id":"m","version":1,"effective_from":null,"windows":[\#(window)]}"#
    let path = try folder.makeFile("model.json", holding: Array(text.utf8))
    let shown = try await BuiltCommand.run(["model", "show", path, "--json"])
    for path in [path, try folder.makeFile("shown.json", holding: shown.output)] {
      for (value, event) in zip(["low", "medium", "high"], expected) {
        let decoded = try json(await BuiltCommand.run(["model", "decode", path, "--coarse", value, "--json"]))
        #expect(decoded["decode_status"]?.text == "decoded", "\(value)")
        let names = ["a", "b", "c", "own"].filter { decoded["events"]?.description.contains("\"\($0)\"") == true }
        #expect(names.joined() == event, "\(value)")
      }
    }
  }

  @Test func `a model can declare that its app has no re-engagement`() async throws {
    let folder = try TemporaryFolder()
    func file(_ name: String, _ members: String, _ window: String = "") throws -> String {
      let windows = #""windows":[{"postback_sequence_index":0,"fine":{"1":[]}\#(window)}]"#
      let text = #"{"app_id":1,"model_id":"m","version":1,"effective_from":null,\#(members)\#(windows)}"#
      return try folder.makeFile(name, holding: Array(text.utf8))
    }
    let (none, some) = (try file("none.json", #""reengagement":false,"#), try file("some.json", ""))
    #expect(try await BuiltCommand.run(["model", "show", none]).text.contains(", no re-engagement\n"))
    #expect(try await !BuiltCommand.run(["model", "show", some]).text.contains("re-engagement"))
    let shown = try await BuiltCommand.run(["model", "show", none, "--json"])
    let again = try folder.makeFile("again.json", holding: shown.output)
    #expect(try await BuiltCommand.run(["model", "diff", none, again]).status == 0)
    let difference = try await BuiltCommand.run(["model", "diff", some, again])
    #expect(difference.status == 1 && difference.text.contains("re-engagement  possible"), "\(difference.text)")
    let type = #","conversion_type":"re-engagement""#
    let wrong = try await BuiltCommand.run(["model", "check", file("wrong.json", #""reengagement":false,"#, type)])
    #expect(wrong.status == 65)
    #expect(
      wrong.errorText.contains("/windows/0/conversion_type: The value must not be re-engagement"),
      "\(wrong.errorText)"
    )
  }

  @Test func `check warns of a value that names an event twice`() async throws {
    let folder = try TemporaryFolder()
    let value =
      #"{"event":"purchase"},{"event":"purchase","min_count":1,"max_count":null,"min_revenue":5,"max_revenue":9}"#
    let windows = #"[{"postback_sequence_index":0,"fine":{"0":[],"7":[\#(value)],"8":[\#(value)]}}]"#
    let text = #"{"app_id":1,"model_id":"m","version":1,"effective_from":null,"currency":"USD","windows":\#(windows)}"#
    let file = try folder.makeFile("twice.json", holding: Array(text.utf8))
    let checked = try await BuiltCommand.run(["model", "check", file])
    #expect(checked.status == 0, "\(checked.errorText)")
    let warning = #"m@1 of app 1, window 0: The value 7 names the event "purchase" twice."#
    #expect(checked.errorText.contains(warning) && !checked.errorText.contains("value 8"), "\(checked.errorText)")
    #expect(try await BuiltCommand.run(["model", "check", Fixtures.path("models")]).errorText == "")
  }

  /// Random models whose windows have each optional member or not.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a model that show printed has the same meaning, and is printed the same again`(_ seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(seed: seed)
    var texts: [String] = []
    while texts.count < 60 {
      let text = RandomFile.text(app: texts.count + 1, using: &random)
      // What is drawn may also be wrong, such as a lock at a value that is not listed.
      if (try? Models(parsing: Array(text.utf8), file: "drawn")) != nil { texts.append(text) }
    }
    let drawn = Array("[\(texts.joined(separator: ","))]".utf8)
    let path = try folder.makeFile("drawn.json", holding: drawn)
    let first = try await BuiltCommand.run(["model", "show", path, "--json"])
    let shown = try folder.makeFile("shown.json", holding: first.output)
    let second = try await BuiltCommand.run(["model", "show", shown, "--json"])
    #expect(second.status == 0, "\(second.errorText)")
    #expect(first.output == second.output)
    let (models, again) = (try Models(loading: [path]), try Models(loading: [shown]))
    for (index, text) in texts.enumerated() {
      let app = Int64(index + 1)
      let (one, other) = (models.models(for: app)[0], again.models(for: app)[0])
      #expect(ModelDifference(one, other).lines.isEmpty, "\(text)")
    }
  }

  /// The table that `show --json` prints, loaded again, decodes and encodes identically.
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a window of a kind equals the table of values that show prints for it`(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<50 {
      let drawn = RandomModel(using: &random)
      let model = try #require(try Models(parsing: Array(drawn.text.utf8), file: "m").models(for: 1).first)
      let text = Array(model.json().description.utf8)
      let again = try #require(try Models(parsing: text, file: "shown").models(for: 1).first)
      #expect(ModelDifference(model, again).lines.isEmpty, "\(drawn.text)")
      for _ in 0..<30 {
        let activity = drawn.activity(using: &random)
        let known = Activity(counts: activity.counts, revenue: try Amount(parsing: activity.revenue))
        #expect(model.encode(known, window: drawn.window) == again.encode(known, window: drawn.window))
      }
    }
  }
}
