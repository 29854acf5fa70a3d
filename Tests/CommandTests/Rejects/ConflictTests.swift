import JSON
import TestSupport
import Testing

@testable import postback

/// Copies of genuine postbacks that have another conversion value than the copy that came first.
@Suite struct `Copies with other unsigned values` {
  /// The sender of a copy.
  struct Sender: Equatable, Sendable {
    let channel: String?
    let forwarder: String?

    static let device = Sender(channel: "apple_direct", forwarder: nil)
    static let fast = Sender(channel: "network_forwarded", forwarder: "cheap-clicks")
    static let honest = Sender(channel: "network_forwarded", forwarder: "honest")
    static let nobody = Sender(channel: nil, forwarder: nil)

    var json: JSONValue {
      .object([
        .init("channel", channel.map { .string($0) } ?? .null),
        .init("forwarder", forwarder.map { .string($0) } ?? .null),
      ])
    }

    func envelope(_ body: String, at time: String) -> String {
      let members = [channel.map { #""channel":"\#($0)","# }, forwarder.map { #""forwarder":"\#($0)","# }]
      return #"{"received_at":"\#(time)",\#(members.compactMap(\.self).joined())"body":\#(body)}"#
    }
  }

  /// Two copies of each of some postbacks; one of both has 63 for its conversion value.
  struct Case: CustomTestStringConvertible, Sendable {
    let first, later: Sender
    let editsFirst: Bool
    let attributed: Sender?

    var testDescription: String {
      "\(first.forwarder ?? first.channel ?? "nobody"), then \(later.forwarder ?? later.channel ?? "nobody")"
    }

    static let all = [
      Case(first: .fast, later: .device, editsFirst: true, attributed: .fast),
      Case(first: .device, later: .fast, editsFirst: false, attributed: .fast),
      Case(first: .fast, later: .honest, editsFirst: true, attributed: nil),
      Case(first: .device, later: .device, editsFirst: false, attributed: nil),
      Case(first: .nobody, later: .device, editsFirst: true, attributed: .nobody),
      Case(first: .nobody, later: .fast, editsFirst: false, attributed: nil),
    ]
  }

  /// A run over such copies, and postbacks that an honest forwarder sends after the device, some of them alone.
  private struct Site {
    let folder: TemporaryFolder
    let out: String
    let count = 40

    init(_ copies: Case) async throws {
      folder = try TemporaryFolder()
      out = folder.path("out")
      let generated = try await BuiltCommand.run([
        "generate", "--count", "60", "--seed", "2", "--valid-only", "--versions", "4.0=1", "--windows", "0=1",
        "--tiers", "3=1", "--out", folder.path("dump"), "--keys", folder.path("keys"),
      ])
      #expect(generated.status == 0, "\(generated.errorText)")
      let bodies = try folder.contents(of: "dump").split(separator: UInt8(ascii: "\n")).map { Object(Array($0)) }
      var lines: [String] = []
      for (index, body) in bodies.enumerated() {
        let edited = body.with(["conversion-value": "63"]).text
        let plain = body.with(["conversion-value": "\(index % 3)"]).text
        let (early, late) = ("2026-03-10T00:00:00Z", "2026-03-10T06:00:00Z")
        if index < count {
          lines.append(copies.first.envelope(copies.editsFirst ? edited : plain, at: early))
          lines.append(copies.later.envelope(copies.editsFirst ? plain : edited, at: late))
        } else {
          lines += [Sender.device.envelope(plain, at: early), Sender.honest.envelope(plain, at: late)]
        }
      }
      let input = try folder.makeFile("in", holding: Array(lines.joined(separator: "\n").utf8))
      let run = try await BuiltCommand.run(["run", input, "--out", out] + (try folder.words(of: "keys")))
      #expect(run.status == 0, "\(run.errorText)")
    }
  }

  @Test(arguments: Case.all) func `are shown with both senders, and blamed on the one that a device contradicts`(
    _ copies: Case
  ) async throws {
    let site = try await Site(copies)
    let result = try await BuiltCommand.run(["rejects", site.out, "--group-by", "forwarder", "--format", "json"])
    #expect(result.status == 0, "\(result.errorText)")
    let conflicts = try #require(try JSONValue(parsing: result.output)["conflicts"])
    #expect(conflicts["copies"] == .integer(site.count))
    #expect(conflicts["attributed_copies"] == .integer(copies.attributed == nil ? 0 : site.count))
    #expect(conflicts["copies_without_first"] == .integer(0))
    let differences = try #require(conflicts["differences"]).array
    #expect(differences.count == 3)
    for difference in differences {
      #expect(difference["field"]?.text == "conversion-value")
      #expect(difference["first_from"] == copies.first.json && difference["later_from"] == copies.later.json)
      #expect((difference["first"]?.text == "63") == copies.editsFirst)
      #expect((difference["later"]?.text == "63") == !copies.editsFirst)
      #expect(difference["attributed_to"] == copies.attributed?.json ?? .null)
    }
    let forwarders = try #require(conflicts["forwarders"]).array
    guard let attributed = copies.attributed else {
      #expect(forwarders.isEmpty)
      return
    }
    #expect(forwarders.count == 1)
    #expect(forwarders[0]["forwarder"]?.text == attributed.forwarder)
    #expect(forwarders[0]["postbacks"] == .integer(site.count))
    #expect(forwarders[0]["came_first"] == .integer(copies.first == attributed ? site.count : 0))
    if attributed.forwarder != nil { #expect(forwarders[0]["share_of_read"] == .number("1.0")) }
  }

  @Test(arguments: Case.all.prefix(2)) func `count against a forwarder even if it is faster than the devices`(
    _ copies: Case
  ) async throws {
    let site = try await Site(copies)
    let page = try await BuiltCommand.run(["report", site.out, "--html", "-"]).text
    let forwarders = try #require(ReportedTable("Rejects by forwarder", in: page)).rows
    let (rejects, contradicted) = copies.editsFirst ? (0, site.count) : (site.count, 0)
    let row = try #require(forwarders.first { $0[0] == "cheap-clicks" })
    #expect(row.prefix(5) == ["cheap-clicks", "\(rejects)", "\(contradicted)", "\(site.count)", "100.0 %"])
    // Devices' own copies are not to blame for what others sent.
    #expect(forwarders.first { $0[0] == "no forwarder (devices)" }?[1] == "0")
    let table = try #require(
      ReportedTable(
        "Unsigned fields in which a later copy of a genuine postback differs: one of the two was edited, the first one decides",
        in: page
      )
    )
    let senders = ["cheap-clicks (network_forwarded)", "apple_direct"]
    for row in table.rows {
      #expect(Set([row[2], row[4]]) == Set(senders) && row[5] == senders[0])
      #expect(row[2] == (copies.editsFirst ? senders[0] : senders[1]))
    }
  }

  @Test func `are found if either copy meets a condition, and are described in words beside the rows`() async throws {
    let site = try await Site(Case.all[0])
    func answer(_ options: [String]) async throws -> JSONValue {
      let result = try await BuiltCommand.run(["rejects", site.out, "--format", "json"] + options)
      return try JSONValue(parsing: result.output)
    }
    // No reject is that forwarder's: it is the device's copies that are rejected.
    let ofForwarder = try await answer(["--where", "forwarder=cheap-clicks"])
    #expect(ofForwarder["rejects"] == .integer(0))
    #expect(ofForwarder["conflicts"]?["copies"] == .integer(site.count))
    #expect(try await answer(["--where", "forwarder=honest"])["conflicts"]?["copies"] == .integer(0))
    #expect(try await answer(["--where", "reject_code=duplicate_identical"])["conflicts"] == .null)
    #expect(try await answer([])["conflicts"] == .null)

    let shown = try await answer(["--where", "reject_code=duplicate_conflict", "--show", "2"])
    let keys = shown["rows"]?.array.compactMap { $0["first_seen_postback_key"]?.text } ?? []
    #expect(keys.count == 2)
    for key in keys { #expect(shown["conflicts"]?["first_copies"]?[key] == Sender.fast.json) }
    let text = try await BuiltCommand.run(["rejects", site.out, "--diagnose", "--show", "1"]).text
    for line in [
      "first_from               cheap-clicks (network_forwarded)", "later_from               apple_direct",
      "in the copy that came first: one was edited", "attributed to  copies  postbacks  came first  of read",
    ] { #expect(text.contains(line), "\(line)") }
    let file = try await BuiltCommand.run([
      "rejects", "\(site.out)/skan_rejects", "--group-by", "forwarder", "--format", "json",
    ])
    #expect(try JSONValue(parsing: file.output)["conflicts"] == .null)
  }
}
