import JSON
import TestSupport
import Testing

/// The tests that rest on copies of one postback, on sets made by hand: 300 postbacks of one kind and 300 beside them.
@Suite struct `Signals of copies` {
  /// Genuine wins of one app, and what they are examined with.
  private struct World: Sendable {
    let folder: TemporaryFolder
    let wins: [[JSONValue.Member]]

    init() async throws {
      folder = try TemporaryFolder()
      let dump = folder.path("dump")
      let made = try await BuiltCommand.run([
        "generate", "--count", "800", "--seed", "3", "--valid-only", "--envelopes", "--versions", "4.0=1", "--windows",
        "0=1",
        "--tiers", "3=1", "--app", "525463029", "--out", dump, "--keys", folder.path("keys"),
      ])
      try #require(made.status == 0, "\(made.errorText)")
      let lines = String(decoding: folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
      wins = try lines.compactMap { line in
        guard let body = try JSONValue(parsing: Array(line.utf8))["body"], body["did-win"] == .bool(true),
          case .object(let members) = body
        else { return nil }
        return members
      }
      let thresholds = (0..<63).map { "\($0).99" }.joined(separator: ",")
      let models = """
        [{"app_id":525463029,"model_id":"m","version":1,"effective_from":"2020-01-01T00:00:00Z","effective_to":null,
        "currency":"USD","windows":[{"postback_sequence_index":0,"kind":"revenue","event":"purchase","open_value":100,
        "thresholds":[\(thresholds)]}]}]
        """
      try folder.makeFile("models.json", holding: Array(models.utf8))
    }

    static let shared = Task { try await World() }
  }

  /// A copy: the number of the postback, the hours after the postback, the sender, and the unsigned values.
  private struct Copy {
    let number: Int
    let hours: Int
    let sender: String
    var value: Int?
    var country = "FR"

    init(_ number: Int, _ hours: Int, _ sender: String, _ value: Int?, country: String = "FR") {
      (self.number, self.hours, self.sender, self.value, self.country) = (number, hours, sender, value, country)
    }

    func line(_ body: [JSONValue.Member]) -> (minute: Int, text: String) {
      var members = body.filter { !["conversion-value", "country-code"].contains($0.key) }
      if let value { members.append(.init("conversion-value", .integer(Int64(value)))) }
      members.append(.init("country-code", .string(country)))
      let minute = 20 * number + 60 * hours + 24 * 60
      let (day, hour) = (minute / 1440 + 1, minute / 60 % 24)
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let time = "2026-03-\(two(day))T\(two(hour)):\(two(minute % 60)):00Z"
      var envelope: [JSONValue.Member] = [.init("received_at", .string(time))]
      envelope.append(.init("channel", .string(sender == "device" ? "apple_direct" : "network_forwarded")))
      if sender != "device" { envelope.append(.init("forwarder", .string(sender))) }
      return (minute, JSONValue.object(envelope + [.init("body", .object(members))]).description)
    }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes the tables of copies in the order of their receipt.
  private func tables(_ copies: [Copy]) async throws -> String {
    let world = try await World.shared.value
    let lines = copies.map { $0.line(world.wins[$0.number]) }.sorted { $0.minute < $1.minute }
    try folder.makeFile("lines", holding: Array((lines.map(\.text).joined(separator: "\n") + "\n").utf8))
    let out = folder.path("out")
    try await run(
      ["run", folder.path("lines"), "--models", world.folder.path("models.json"), "--out", out]
        + world.folder.words(of: "keys")
    )
    return out
  }

  @discardableResult private func run(_ arguments: [String]) async throws -> String {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0, "\(result.errorText)")
    return result.text
  }

  /// The alarms of the tables by test, each with the parties that it is about.
  private func alarms(_ copies: [Copy]) async throws -> [JSONValue] {
    let text = try await run(["rejects", tables(copies), "--signals", "--json"])
    return try #require(try JSONValue(parsing: Array(text.utf8))["signals"]?["alarms"]?.array)
  }

  private func names(_ test: String, _ alarms: [JSONValue]) -> [String] {
    alarms.filter { $0["test"]?.text == test && $0["party"]?.text == "forwarder" }.compactMap { $0["name"]?.text }
      .sorted()
  }

  /// Postbacks that another forwarder sends as the device did.
  private let others = (300..<600).flatMap { [Copy($0, 0, "device", 5), Copy($0, 1, "branch", 5)] }

  @Test(arguments: ["raised_values", "changed_countries"])
  func `a forwarder that sent the device's value is not accused beside one that changed it`(_ test: String) async throws
  {
    let isCountry = test == "changed_countries"
    let found = try await alarms(
      others
        + (0..<300).flatMap { number in
          let isChanged = number % 3 == 0
          return [
            Copy(number, 0, "device", 0), Copy(number, 1, "honest", 0),
            Copy(number, 2, "cheat", isChanged && !isCountry ? 9 : 0, country: isChanged && isCountry ? "US" : "FR"),
          ]
        }
    )
    #expect(names(test, found) == ["cheat"], "\(found)")
    #expect(found.allSatisfy { $0["name"]?.text == "cheat" }, "\(found)")
    // The page says the same.
    let text = try await run(["report", folder.path("out"), "--html", "-"])
    #expect(text.contains("The forwarder cheat "))
    #expect(!text.contains("The forwarder honest "))
    // So does the case.
    let file = try await run(["case", folder.path("out"), "--where", "forwarder=honest", "--json"])
    #expect(try JSONValue(parsing: Array(file.utf8))["signals"]?["alarms"]?.array.isEmpty == true)
  }

  @Test func `forged copies of devices accuse nobody and are reported`() async throws {
    let found = try await alarms(
      others
        + (0..<300).flatMap { number in
          (number % 5 == 0 ? [Copy(number, -1, "device", 0)] : [])
            + [Copy(number, 0, "device", 9), Copy(number, 1, "adjust", 9)]
        }
    )
    #expect(names("device_copies_disagree", found) == ["adjust"])
    #expect(found.allSatisfy { $0["test"]?.text == "device_copies_disagree" }, "\(found)")
    #expect(found.contains { $0["summary"]?.text?.contains("this does not tell who did it") == true })
    let text = try await run(["rejects", folder.path("out"), "--signals"])
    #expect(!text.contains("The forwarder adjust raised"))
  }

  @Test func `a forged copy of a device that hides a change is reported`() async throws {
    let found = try await alarms(
      others
        + (0..<300).flatMap { number in
          (number % 3 == 0 ? [Copy(number, -1, "device", 20)] : [])
            + [Copy(number, 0, "device", 0), Copy(number, 1, "cheat", number % 3 == 0 ? 20 : 0)]
        }
    )
    #expect(names("device_copies_disagree", found) == ["cheat"])
  }

  @Test func `all values of a forwarder are compared, also after a decoy and after the device's`() async throws {
    let found = try await alarms(
      others
        + (0..<300).flatMap { number in
          [Copy(number, 0, "device", 5)]
            + (number % 3 == 0
              ? [Copy(number, 1, "cheat", 3), Copy(number, 2, "cheat", 60)] : [Copy(number, 1, "cheat", 5)])
        }
    )
    for test in ["raised_values", "lowered_values", "self_conflicts"] { #expect(names(test, found) == ["cheat"]) }
  }

  @Test func `a postback sent once after an outage is not sent again`() async throws {
    let found = try await alarms(
      others + (0..<300).flatMap { [Copy($0, 0, "device", 5), Copy($0, $0 > 200 ? 288 : 1, "slow", 5)] }
    )
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `few values raised to the highest alarm by their money`() async throws {
    let found = try await alarms(
      others.map { copy in Copy(copy.number, copy.hours, copy.sender, copy.number == 500 ? 63 : 0) }
        + (0..<300).flatMap {
          [Copy($0, 0, "device", $0 % 50 == 0 ? 2 : 0), Copy($0, 1, "cheat", $0 % 50 == 7 ? 63 : $0 % 50 == 0 ? 2 : 0)]
        }
    )
    #expect(names("raised_revenue", found) == ["cheat"])
    let alarm = try #require(found.first)
    #expect(alarm["revenue_effect"]?["USD"]?.description == "600")
    #expect(alarm["own"]?["count"]?.integer == 6)
    #expect(found.count == 1, "\(found)")
  }

  @Test(arguments: [("lowered_values", 7, 0), ("lowered_values", 7, nil), ("added_values", nil, 12)])
  func `lowered, dropped and added values are found`(_ test: String, _ device: Int?, _ sent: Int?) async throws {
    let found = try await alarms(
      others + (0..<300).flatMap { [Copy($0, 0, "device", device), Copy($0, 1, "cheat", $0 % 7 == 0 ? sent : device)] }
    )
    #expect(names(test, found) == ["cheat"], "\(found)")
    #expect(found.allSatisfy { $0["name"]?.text == "cheat" })
  }
}
