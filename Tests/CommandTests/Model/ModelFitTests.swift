import Foundation
import JSON
import TestSupport
import Testing

@Suite struct ModelFitTests {
  private static let app = "6740000001"

  private func fit(_ arguments: [String], input: [UInt8] = []) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["model", "fit"] + arguments + ["--app", Self.app], input: input)
  }

  /// The rows of users, as JSON Lines: those with an even number pay in window 0, each third of them again in window 1.
  private static func rows(_ users: Int, seed: UInt64 = 1, more: [String] = []) -> [UInt8] {
    var random = SplitMix(seed: seed)
    let begin = 1_767_225_600
    func row(_ user: Int, _ age: Int, _ event: String, _ cents: Int) -> String {
      let call = begin + user * 60
      let amount = "\(cents / 100).\(String(format: "%02d", cents % 100))"
      let revenue = cents == 0 ? "" : #","skan_total_revenue_by_currency":{"USD":\#(amount)}"#
      return #"{"received_at":\#(call + age),"i":"com.example.game","idfv":"user-\#(user)","n":"\#(event)","#
        + #""skan_first_call_to_skadnetwork_timestamp":\#(call)\#(revenue)}"#
    }
    var lines: [String] = []
    for user in 0..<users {
      lines.append(row(user, 0, "__SESSION__", 0))
      if user % 4 == 0 { lines.append(row(user, 30, "sign_up", 0)) }
      guard user % 2 == 0 else { continue }
      let cents = Int(pow(10, Double.random(in: 0...2.5, using: &random)) * 100)
      lines.append(row(user, .random(in: 60...100_000, using: &random), "purchase", cents))
      if user % 6 == 0 { lines.append(row(user, 300_000, "purchase", cents + 499)) }
    }
    let last = begin + 60 * 86_400
    lines.append(#"{"received_at":\#(last),"i":"com.example.game","idfv":"last","n":"__SESSION__"}"#)
    return Array((lines + more).joined(separator: "\n").utf8)
  }

  @Test func `a model is written that the other commands take`() async throws {
    let folder = try TemporaryFolder()
    let events = try folder.makeFile("events.jsonl", holding: Self.rows(600))
    let out = folder.path("fitted.json")
    let result = try await fit([events, "--out", out, "--page", folder.path("fit.html")])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains("fitted@1 of app 6740000001: 64 fine values, coarse values of windows 0 to 2"))
    #expect(try await BuiltCommand.run(["model", "check", out]).status == 0)
    let shown = try await BuiltCommand.run(["model", "show", out])
    #expect(shown.text.contains("window 2, never locked early"))
    let encoded = try await BuiltCommand.run(["model", "encode", out, "--event", "purchase", "--revenue", "12.34"])
    #expect(encoded.text.contains("exact         yes"))
    let dump = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    #expect(try await BuiltCommand.run(["run", dump, "--models", out, "--out", folder.path("out")]).status == 0)

    let page = String(decoding: try folder.contents(of: "fit.html"), as: UTF8.self)
    #expect(page.contains("default-src 'none'") && page.hasSuffix("</html>\n"))
    #expect(!page.contains("http:") && !page.contains("https:") && !page.contains("<script") && !page.contains(" src="))
    #expect(page.components(separatedBy: "<svg role=\"img\"").count == 3)
    #expect(page.components(separatedBy: "<table>").count == 6, "errors, three windows, locks")
    let again = try await fit([events, "--out", out])
    #expect(again.status == 73 && again.errorText.contains("exists already"))
  }

  @Test func `the answer is as its schema says, and the same for rows in another order and form`() async throws {
    let folder = try TemporaryFolder()
    let lines = Self.rows(300).split(separator: UInt8(ascii: "\n"))
    let newline = [UInt8(ascii: "\n")]
    let first = try await fit(["-", "--json"], input: Array(lines.joined(separator: newline)))
    let reversed = try await fit(["-", "--json"], input: Array(lines.reversed().joined(separator: newline)))
    #expect(first.status == 0, "\(first.errorText)")
    #expect(first.output == reversed.output)
    let csv =
      ["received_at,i,idfv,n,skan_first_call_to_skadnetwork_timestamp,skan_total_revenue_by_currency"]
      + (try lines.map { line in
        let row = try JSONValue(parsing: Array(line))
        return [
          "received_at", "i", "idfv", "n", "skan_first_call_to_skadnetwork_timestamp", "skan_total_revenue_by_currency",
        ].map { key in
          let text = row[key].map { $0.text ?? $0.description } ?? ""
          return text.contains("{") ? "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\"" : text
        }
        .joined(separator: ",")
      })
    #expect(try await fit(["-", "--json"], input: Array(csv.joined(separator: "\n").utf8)).output == first.output)

    let answer = try folder.makeFile("answer.json", holding: first.output)
    let arguments = [Fixtures.path("../Tests/validate.py"), "--model-fit", answer]
    var check = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if check.status == 77 { check = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(check.status == 0 || check.status == 77, "\(check.text)\(check.errorText)")
    let schema = try JSONValue(parsing: Fixtures.bytes("../schemas/model_fit.schema.json"))
    guard case .object(let members) = try JSONValue(parsing: first.output),
      case .object(let properties)? = schema["properties"]
    else {
      Issue.record("the answer or the schema has no members")
      return
    }
    #expect(members.map(\.key) == properties.map(\.key))
  }

  @Test func `installs without rows count as users without revenue`() async throws {
    let rows = Self.rows(200)
    let own = try JSONValue(parsing: try await fit(["-", "--json"], input: rows).output)
    let more = try JSONValue(parsing: try await fit(["-", "--json", "--installs", "5000"], input: rows).output)
    #expect(own["installs"]?.description == "[200,200,200]")
    #expect(more["installs"]?.description == "[5000,5000,5000]")
    let few = try await fit(["-", "--installs", "10"], input: rows)
    #expect(few.status == 65 && few.errorText.contains("the events are of 200 users"))
  }

  @Test func `an event to keep that no user has is refused`() async throws {
    let result = try await fit(["-", "--keep-events", "sign_up,nosuch"], input: Self.rows(100))
    #expect(result.status == 65 && result.errorText.contains(#"has the event "nosuch" of --keep-events"#))
  }

  @Test func `the present model is compared, and its labels, currency and events are taken`() async throws {
    let models = Fixtures.path("models/6740000001.json")
    let arguments = ["-", "--json", "--against", "\(models)#ladder@2", "--keep-events", "sign_up"]
    let result = try await fit(arguments, input: Self.rows(300))
    #expect(result.status == 0, "\(result.errorText)")
    let answer = try JSONValue(parsing: result.output)
    #expect(answer["present"] == .string("ladder@2"))
    #expect(answer["model"]?["model_id"] == .string("ladder"))
    #expect(answer["model"]?["version"]?.description == "3")
    // The last row is from March, and ladder@2 is in force from June on.
    #expect(answer["model"]?["effective_from"] == .string("2026-06-02T00:00:00Z"))
    #expect(answer["dropped_events"]?.description == #"["tutorial_complete"]"#)
    guard case .array(let errors)? = answer["errors"] else {
      Issue.record("there are no errors")
      return
    }
    let names = ["fitted", "equal_frequency", "logarithmic", "present", "present_relearnt"]
    #expect(errors.map { $0["model"]?.text } == names)
    let values = "\(answer["model"]?["windows"] ?? .null)"
    #expect(values.contains(#"{"event":"sign_up","min_count":1,"max_count":null},{"event":"purchase""#))
  }

  @Test func `a day that is worth something locks windows, and no other does`() async throws {
    let rows = Self.rows(300)
    let patient = try await fit(["-", "--json"], input: rows)
    #expect(!patient.text.contains(#""lock_window":{"coarse_value":"high"},"coarse""#))
    let hasty = try await fit(["-", "--json", "--day-worth", "1000000"], input: rows)
    let windows = try JSONValue(parsing: hasty.output)["model"]?["windows"]
    guard case .array(let described)? = windows else {
      Issue.record("there are no windows")
      return
    }
    // Nobody uses the app in window 2.
    #expect(described.map { $0["lock_window"] != nil } == [true, true, false])
  }

  // MARK: - Rows that are wrong, or too few

  @Test func `refunds, users without an id, other apps and currencies are counted and left out`() async throws {
    let more = [
      // A refund after window 0 leaves less than nothing in window 1.
      #"{"received_at":1767225600,"i":"com.example.game","idfv":"refund","skan_total_revenue_by_currency":{"USD":20}}"#,
      #"{"received_at":1767525600,"i":"com.example.game","idfv":"refund","skan_total_revenue_by_currency":{"USD":-5}}"#,
      #"{"received_at":1767225600,"i":"com.example.game","n":"purchase","skan_total_revenue_by_currency":{"USD":20}}"#,
      #"{"received_at":1767225600,"i":"com.example.game","idfv":"NULL","skan_total_revenue_by_currency":{"USD":20}}"#,
      #"{"received_at":1767225600,"i":"com.example.other","idfv":"other","skan_total_revenue_by_currency":{"USD":20}}"#,
      #"{"received_at":1767225600,"i":"com.example.game","idfv":"euro","skan_total_revenue_by_currency":{"EUR":20}}"#,
      #"{"received_at":1767225600,"i":"com.example.game","idfv":"odd","skan_total_revenue_by_currency":{"USD":"x"}}"#,
      "no row",
    ]
    let rows = Self.rows(100, more: more)
    let several = try await fit(["-"], input: rows)
    #expect(several.status == 65)
    #expect(several.errorText.contains("com.example.game, com.example.other. Choose one with --bundle-id"))
    let bundle = ["-", "--bundle-id", "com.example.game"]
    let currencies = try await fit(bundle, input: rows)
    #expect(currencies.status == 65)
    #expect(currencies.errorText.contains("The revenue is in EUR, USD. Choose one with --currency"))
    let arguments = bundle + ["--currency", "USD", "--json"]
    let result = try await fit(arguments, input: rows)
    #expect(result.status == 0, "\(result.errorText)")
    let left = try JSONValue(parsing: result.output)["left_out"]
    #expect(left?["bad_rows"]?.description == "4")
    #expect(left?["other_app_rows"]?.description == "1")
    #expect(left?["other_currency_users"]?.description == "1")
    #expect(left?["unfinished_users"]?.description == "1")
    #expect(left?["refunded_windows"]?.description == "1")
    #expect(left?["refunded_revenue"]?.description == "-25")
    let told = try await fit(bundle + ["--currency", "USD"], input: rows)
    #expect(told.text.contains("by 25.00 USD together"), "\(told.text)")
  }

  @Test(arguments: [
    ("", "There are no events."),
    ("no row\n", "No row of the events can be read. The first is line 1 of -"),
    (
      #"{"received_at":1767225600,"idfv":"a","skan_total_revenue_by_currency":{"USD":1}}"#,
      "less than 48 hours before the last row (1)"
    ),
    (
      #"{"received_at":1767225600,"idfv":"a"}"# + "\n" + #"{"received_at":1777225600,"idfv":"a"}"#,
      "No row has revenue, so there is nothing to fit."
    ),
    (
      #"{"received_at":1767225600,"idfv":"a","skan_total_revenue_by_currency":{"USD":-5}}"# + "\n"
        + #"{"received_at":1777225600,"idfv":"a","skan_total_revenue_by_currency":{"USD":-5}}"#,
      "No user has revenue above 0 in a window that had ended at the last row, so there is nothing to fit."
    ),
  ])
  func `events that allow no fit are named, and nothing is written`(text: String, reason: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await fit(["-", "--out", folder.path("fitted.json")], input: Array(text.utf8))
    #expect(result.status == 65)
    #expect(result.errorText.contains(reason), "\(result.errorText)")
    #expect(try folder.names == [])
  }

  @Test func `a currency that nobody paid in is named`() async throws {
    let row = #"{"received_at":1767225600,"idfv":"a","skan_total_revenue_by_currency":{"USD":1}}"#
    let result = try await fit(["-", "--currency", "EUR"], input: Array("\(row)\n\(row)".utf8))
    #expect(result.status == 65)
    #expect(result.errorText.contains("No row has revenue in EUR. The revenue is in USD."), "\(result.errorText)")
  }

  @Test func `one user is enough for a model`() async throws {
    let rows = """
      {"received_at":1767225600,"idfv":"a","skan_total_revenue_by_currency":{"USD":4.99}}
      {"received_at":1777225600,"idfv":"a","skan_total_revenue_by_currency":{"USD":4.99}}
      """
    let result = try await fit(["-", "--json"], input: Array(rows.utf8))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains(#""users":1,"installs":[1,1,1]"#))
    let told = try await fit(["-"], input: Array(rows.utf8))
    #expect(told.text.contains("which are few beside the 1000 of a campaign"), "\(told.text)")
    #expect(told.text.contains("only 1 user paid"), "\(told.text)")
  }

  @Test(arguments: [
    (["--tiers", "0.5,0.5"], "four shares that add up to 1"), (["--tiers", "1,1,0,0"], "four shares that add up to 1"),
    (["--keep-events", "a,b,c,d"], "up to three names"),
    (["--keep-events", "sign_up,purchase"], "The event purchase of --keep-events is the one with the revenue"),
    (["--keep-events", "pay", "--event", "pay"], "The event pay of --keep-events"),
    (["--objective", "mean"], "squared or rank"),
    (["--event", ""], "a name of 1 to 256 bytes"), (["--day-worth", "-1"], "an amount such as 20"),
    (["--folds", "1"], "an integer from 2 to 100"),
  ])
  func `a wrong option is named`(options: [String], reason: String) async throws {
    let result = try await fit(["-"] + options)
    #expect(result.status == 64)
    #expect(result.errorText.contains(reason), "\(result.errorText)")
  }
}
