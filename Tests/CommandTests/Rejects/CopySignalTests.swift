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
        "0=1", "--tiers", "3=1", "--app", "525463029", "--out", dump, "--keys", folder.path("keys"),
      ])
      try #require(made.status == 0, "\(made.errorText)")
      let lines = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
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
    var year = 2026

    init(_ number: Int, _ hours: Int, _ sender: String, _ value: Int?, country: String = "FR", year: Int = 2026) {
      (self.number, self.hours, self.sender, self.value) = (number, hours, sender, value)
      (self.country, self.year) = (country, year)
    }

    func line(_ body: [JSONValue.Member]) -> (minute: Int, text: String) {
      var members = body.filter { !["conversion-value", "country-code"].contains($0.key) }
      if let value { members.append(.init("conversion-value", .integer(Int64(value)))) }
      members.append(.init("country-code", .string(country)))
      let minute = 20 * number + 60 * hours + 24 * 60
      let (day, hour) = (minute / 1440 + 1, minute / 60 % 24)
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let time = "\(year)-03-\(two(day))T\(two(hour)):\(two(minute % 60)):00Z"
      var envelope: [JSONValue.Member] = [.init("received_at", .string(time))]
      envelope.append(.init("channel", .string(sender == "device" ? "apple_direct" : "network_forwarded")))
      if sender != "device" { envelope.append(.init("forwarder", .string(sender))) }
      return (minute, JSONValue.object(envelope + [.init("body", .object(members))]).description)
    }
  }

  /// The value of a device, and another that a forwarder sends sometimes.
  struct Difference: Sendable {
    let test: String
    var device: Int?
    var sent: Int?
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Makes the tables of copies in the order of their receipt.
  private func tables(_ copies: [Copy]) async throws -> String {
    let world = try await World.shared.value
    let lines = copies.map { $0.line(world.wins[$0.number]) }.sorted { $0.minute < $1.minute }
    try folder.makeFile("lines", holding: Array((lines.map(\.text).joined(separator: "\n") + "\n").utf8))
    let out = folder.path("out")
    let keys = try world.folder.words(of: "keys")
    try await run(["run", folder.path("lines"), "--models", world.folder.path("models.json"), "--out", out] + keys)
    return out
  }

  @discardableResult private func run(_ arguments: [String]) async throws -> String {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0, "\(result.errorText)")
    return result.text
  }

  /// The alarms of the tables by test, each with the parties that it is about.
  private func alarms(_ copies: [Copy]) async throws -> [JSONValue] {
    let out = try await tables(copies)
    let answer = try JSONValue(parsing: Array(try await run(["rejects", out, "--signals", "--json"]).utf8))
    return try #require(answer["signals"]?["alarms"]?.array)
  }

  private func names(_ test: String, _ alarms: [JSONValue]) -> [String] {
    alarms.filter { $0["test"]?.text == test && $0["party"]?.text == "forwarder" }.compactMap { $0["name"]?.text }
      .sorted()
  }

  /// The alarms of 300 postbacks with some copies each, beside 300 that another forwarder sends as the device did.
  private func alarms(beside value: Int? = 5, _ copies: (Int) -> [Copy]) async throws -> [JSONValue] {
    var all: [Copy] = []
    for number in 0..<300 { all += copies(number) }
    for number in 300..<600 { all += [Copy(number, 0, "device", value), Copy(number, 1, "branch", value)] }
    return try await alarms(all)
  }

  @Test(arguments: ["raised_values", "changed_countries"])
  func `a forwarder that sent the device's value is not accused beside one that changed it`(_ test: String) async throws
  {
    let isCountry = test == "changed_countries"
    let found = try await alarms { number in
      let isChanged = number % 3 == 0
      let value = isChanged && !isCountry ? 9 : 0
      let country = isChanged && isCountry ? "US" : "FR"
      return [
        Copy(number, 0, "device", 0), Copy(number, 1, "honest", 0), Copy(number, 2, "cheat", value, country: country),
      ]
    }
    #expect(names(test, found) == ["cheat"], "\(found)")
    #expect(found.allSatisfy { $0["name"]?.text == "cheat" }, "\(found)")
    // The page and the case say the same.
    let page = try await run(["report", folder.path("out"), "--html", "-"])
    #expect(page.contains("The forwarder cheat "))
    #expect(!page.contains("The forwarder honest "))
    let file = try await run(["case", folder.path("out"), "--where", "forwarder=honest", "--json"])
    let answer = try JSONValue(parsing: Array(file.utf8))
    #expect(answer["signals"]?["alarms"]?.array.isEmpty == true)
  }

  @Test func `forged copies of devices accuse nobody and are reported`() async throws {
    let found = try await alarms { number in
      let copies = [Copy(number, 0, "device", 9), Copy(number, 1, "adjust", 9)]
      return number % 5 == 0 ? copies + [Copy(number, -1, "device", 0)] : copies
    }
    #expect(names("device_copies_disagree", found) == ["adjust"])
    #expect(found.allSatisfy { $0["test"]?.text == "device_copies_disagree" }, "\(found)")
    let summaries = found.compactMap { $0["summary"]?.text }
    #expect(summaries.allSatisfy { $0.contains("this does not tell who did it") })
    let text = try await run(["rejects", folder.path("out"), "--signals"])
    #expect(!text.contains("The forwarder adjust raised"))
  }

  @Test func `copies of devices accuse nobody before the app is known to send them`() async throws {
    let copies = (0..<400).flatMap { number in
      (number % 4 == 0 ? [Copy(number, 0, "device", 30)] : []) + [Copy(number, 1, "honest", 9)]
    }
    func found(_ out: String) async throws -> [JSONValue] {
      let answer = try JSONValue(parsing: Array(try await run(["rejects", out, "--signals", "--json"]).utf8))
      return try #require(answer["signals"]?["alarms"]?.array)
    }
    let out = try await tables(copies)
    #expect(names("lowered_values", try await found(out)) == ["honest"])
    // Without direct_copies_since the forwarder's copy decides.
    _ = try await run(["settle", out])
    #expect(try await found(out).isEmpty)
  }

  @Test func `a forged copy of a device that hides a change is reported`() async throws {
    let found = try await alarms { number in
      guard number % 3 == 0 else { return [Copy(number, 0, "device", 0), Copy(number, 1, "cheat", 0)] }
      return [Copy(number, -1, "device", 20), Copy(number, 0, "device", 0), Copy(number, 1, "cheat", 20)]
    }
    #expect(names("device_copies_disagree", found) == ["cheat"])
  }

  @Test func `all values of a forwarder are compared, also after a decoy and after the device's`() async throws {
    let found = try await alarms { number in
      guard number % 3 == 0 else { return [Copy(number, 0, "device", 5), Copy(number, 1, "cheat", 5)] }
      return [Copy(number, 0, "device", 5), Copy(number, 1, "cheat", 3), Copy(number, 2, "cheat", 60)]
    }
    for test in ["raised_values", "lowered_values", "self_conflicts"] { #expect(names(test, found) == ["cheat"]) }
  }

  @Test(arguments: [2031, 7500, 9999]) func `a copy with a time of a far year accuses nobody`(_ year: Int) async throws
  {
    let found = try await alarms { number in
      [Copy(number, 0, "device", 5), Copy(number, 1, "slow", 5, year: number % 100 == 7 ? year : 2026)]
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `what was sent before a forwarder's first batch is not held back`() async throws {
    // The first seventy, of three days, come at one time, and all others soon.
    let found = try await alarms { number in
      let isFirst = number < 70
      let hours = isFirst ? 24 * (number % 3) : 160
      return [Copy(number, hours, "device", 5), Copy(number, isFirst ? 150 - number / 3 : 161, "weekly", 5)]
    }
    #expect(names("held_back", found).isEmpty, "\(found)")
  }

  @Test func `a postback sent once after an outage is not sent again`() async throws {
    let found = try await alarms { number in
      [Copy(number, 0, "device", 5), Copy(number, number > 200 ? 288 : 1, "slow", 5)]
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test(arguments: [true, false])
  func `a history that is sent again is a difference, and one that is only loaded again is not late`(
    _ isSentAgain: Bool
  ) async throws {
    let out = try await tables(
      (0..<600).map { Copy($0, 0, "device", 5) }
        + (0..<600).map { Copy($0, 1, $0 < 300 ? "resender" : "other", 5) }
    )
    let world = try await World.shared.value
    let lines = try (0..<300).map { number -> String in
      let line = Copy(number, 481, "resender", 5).line(world.wins[number]).text
      guard !isSentAgain, case .object(let members) = try JSONValue(parsing: Array(line.utf8)) else { return line }
      return JSONValue.object(members.filter { $0.key != "received_at" }).description
    }
    try folder.makeFile("again", holding: Array((lines.joined(separator: "\n") + "\n").utf8))
    let options = ["--received-at", "2026-03-29T00:00:00Z", "--out", out] + (try world.folder.words(of: "keys"))
    try await run(["run", folder.path("again"), "--models", world.folder.path("models.json")] + options)
    let answer = try JSONValue(parsing: Array(try await run(["rejects", out, "--signals", "--json"]).utf8))
    let signals = try #require(answer["signals"])
    #expect(signals["alarms"]?.array.isEmpty == true, "\(signals["alarms"] ?? .null)")
    let differences = signals["differences"]?.array ?? []
    #expect(names("late_copies", differences) == (isSentAgain ? ["resender"] : []), "\(differences)")
    #expect(names("resends", differences) == (isSentAgain ? [] : ["resender"]), "\(differences)")
    #expect(signals["all_networks"]?["late_replays"]?.integer == (isSentAgain ? 300 : 0))
  }

  @Test func `few values raised to the highest alarm by their money`() async throws {
    // The value 63 means 100 USD, as the postbacks of the other forwarder show, and 0 means nothing.
    let found = try await alarms(beside: 63) { number in
      let value = number % 50 == 0 ? 2 : 0
      return [Copy(number, 0, "device", value), Copy(number, 1, "cheat", number % 50 == 7 ? 63 : value)]
    }
    #expect(names("raised_revenue", found) == ["cheat"])
    let alarm = try #require(found.first { $0["test"]?.text == "raised_revenue" })
    #expect(alarm["revenue_effect"]?["USD"]?.description == "600")
    #expect(alarm["own"]?["count"]?.integer == 6)
    #expect(names("raised_values", found).isEmpty)
  }

  @Test(arguments: [
    Difference(test: "lowered_values", device: 7, sent: 0), Difference(test: "lowered_values", device: 7),
    Difference(test: "added_values", sent: 12),
  ])
  func `lowered, dropped and added values are found`(_ difference: Difference) async throws {
    let (device, sent) = (difference.device, difference.sent)
    let found = try await alarms { number in
      [Copy(number, 0, "device", device), Copy(number, 1, "cheat", number % 7 == 0 ? sent : device)]
    }
    #expect(names(difference.test, found) == ["cheat"], "\(found)")
    #expect(found.allSatisfy { $0["name"]?.text == "cheat" })
  }

  @Test func `copies held back by days are found`() async throws {
    let found = try await alarms { number in
      [Copy(number, 0, "device", 5), Copy(number, number % 10 == 3 ? 170 : 1, "cheat", 5)]
    }
    #expect(names("held_back", found) == ["cheat"], "\(found)")
    #expect(found.allSatisfy { $0["test"]?.text == "held_back" && $0["kind"]?.text == "suspicion" }, "\(found)")
  }

  @Test func `what one of two machines sends at once, after days, is not held back`() async throws {
    let found = try await alarms { number in
      let hasFailed = (20..<160).contains(number) && number % 2 == 1
      return [Copy(number, 0, "device", 5), Copy(number, hasFailed ? (420 - number) / 3 : 1, "honest", 5)]
    }
    #expect(names("held_back", found).isEmpty, "\(found)")
  }

  @Test func `a 0 in place of a missing value names neither its network nor its app`() async throws {
    let found = try await alarms { number in
      // Beside a coarse value of the device, or in a postback that has one copy more.
      [Copy(number, 0, "device", nil), Copy(number, 1, "filler", 0)]
    }
    #expect(found.allSatisfy { $0["test"]?.text != "impossible_fields" }, "\(found)")
  }

  @Test func `copies as late as those of devices are not held back`() async throws {
    let found = try await alarms { number in
      [
        Copy(number, number % 20 == 7 ? 170 : 0, "device", 5), Copy(number, number % 20 == 3 ? 170 : 1, "retried", 5),
      ]
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a slow forwarder holds nothing back`() async throws {
    let found = try await alarms { number in
      [Copy(number, 0, "device", 5), Copy(number, 24 + number * 37 % 100, "slow", 5)]
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a value of 0 in place of a missing one is none that was lowered`() async throws {
    let found = try await alarms { number in
      let device = number % 3 == 0 ? nil : 5
      return [Copy(number, 0, "device", device), Copy(number, 1, "filler", number % 6 == 1 ? 0 : device ?? 0)]
    }
    #expect(names("lowered_values", found).isEmpty, "\(found)")
  }

  @Test func `higher values from a day on are a difference, and no alarm`() async throws {
    let out = try await tables(
      (0..<600).map { number in
        let value = number * 7 % 40
        return Copy(number, 0, "cheat", number > 360 ? value + 20 : value)
      }
    )
    let answer = try JSONValue(parsing: Array(try await run(["rejects", out, "--signals", "--json"]).utf8))
    let signals = try #require(answer["signals"])
    #expect(signals["alarms"]?.array.isEmpty == true)
    let change = try #require(signals["differences"]?.array.first { $0["basis"]?.text == "past" })
    #expect(change["test"]?.text == "fine_values")
    #expect(change["since"]?["low"]?.text ?? "" <= "2026-03-07")
    #expect(change["since"]?["high"]?.text ?? "" >= "2026-03-07")
    let text = try await run(["rejects", out, "--signals"])
    #expect(text.contains("differences (parties differ in audience"))
  }

  @Test func `a network is not expected to forward before its first forwarded postback`() async throws {
    let wins = try await World.shared.value.wins
    func network(_ number: Int) -> String? { wins[number].first { $0.key == "ad-network-id" }?.value.text }
    let numbers = 0..<659
    let counts = Dictionary(grouping: numbers) { network($0) ?? "" }.mapValues(\.count)
    let (late, _) = try #require(counts.max { ($0.value, $0.key) < ($1.value, $1.key) })
    var copies: [Copy] = []
    for number in numbers {
      copies.append(Copy(number, 0, "device", 5))
      let isForwarded = number % 10 > 0 && !(network(number) == late && number < 250)
      if isForwarded { copies.append(Copy(number, 1, "branch", 5)) }
    }
    // A copy may be missing for ten days.
    copies.append(Copy(659, 241, "device", 5))
    let out = try await tables(copies)
    let text = try await run(["rejects", out, "--signals", "--json", "--top", "1000"])
    let signals = try #require(try JSONValue(parsing: Array(text.utf8))["signals"])
    let tests = (signals["alarms"]?.array ?? []) + (signals["further_tests"]?.array ?? [])
    let name = late.prefix { $0 != "." }.lowercased()
    let test = try #require(tests.first { $0["test"]?.text == "missing_forwarded" && $0["name"]?.text == name })
    let (count, total) = (test["own"]?["count"]?.integer ?? 0, test["own"]?["of"]?.integer ?? 0)
    #expect(total >= 30)
    #expect(count * 4 < total, "\(count) of \(total)")
    #expect(test["alarm"] == .bool(false))
  }
}
