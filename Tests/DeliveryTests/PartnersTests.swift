import JSON
import PostbackServer
import TestSupport
import Testing

@testable import Delivery

@Suite struct `A file of partners` {
  private func read(_ text: String, _ environment: [String: String] = [:]) throws -> Partners {
    let folder = try TemporaryFolder()
    try folder.makeFile("partners.json", holding: Array(text.utf8))
    return try Partners(reading: folder.path("partners.json")) { environment[$0] }
  }

  private func pointers(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let errors as PartnersErrors {
      return errors.problems.map { problem in
        let words = problem.split(separator: ": ").map(String.init)
        return words.count > 2 ? words[1] : ""
      }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `has all settings of the specification`() throws {
    let partners = try read(
      """
      {"partners":[{"id":"acme","enabled":true,"networks":["V9WTTPBFK9.adattributionkit"],"apps":[525463029],
       "environments":["production"],"hold_hours":0,"send":["install","event"],"windows":[0,1,2],
       "include":{"nulls":true,"lost":false,"minimum_trust":2},"method":"POST",
       "url":"https://p.example/skan?net={network_id}&cv={conversion_value}","body":"json",
       "headers":{"x-key":"env:ACME_KEY"},"booleans":"true_false","allow_addresses":[],"max_age_s":3888000,
       "secret":"env:ACME_SECRET","retry":{"delays_s":[60,300,900,1800,3600],"give_up_after_s":86400,
       "on":["5xx","408","425","429","network"]},"timeout_s":5,"rate_per_s":50}]}
      """,
      ["ACME_KEY": "k", "ACME_SECRET": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    )
    let partner = try #require(partners.all.first)
    #expect(partner.networks == ["v9wttpbfk9.skadnetwork"])
    #expect(partner.headers == ["x-key: k"])
    #expect(partner.signature?.secrets.first?.count == 24)
    #expect(partner.kinds == [.install, .event])
    #expect((partner.timeout, partner.rate, partner.minimumTrust) == (5000, 50, 2))
    #expect(!partner.usesRawBody)
  }

  @Test func `is refused with all problems at once, each with its place`() {
    let found = pointers(
      """
      {"partners":[
       {"id":"a b","networks":[],"url":"https://{network_id}.example/","colour":1},
       {"id":"b","networks":"everything","url":"https://p.example/{unknown}","headers":{"x":"env:MISSING","host":"h","y":"{app_id}"},
        "secret":"literal-secret-text","send":["install","sale"],"windows":[3],"retry":{"delays_s":[],"on":["6xx"]}},
       {"id":"c","networks":"all","url":"http://169.254.169.254/latest","method":"GET","body":"json","timeout_s":600,
        "allow_addresses":["10.0.0.1/8"],"include":{"minimum_trust":5}},
       {"id":"c","networks":"all","url":"https://p.example/","body":{"a":"{nothing}"},"secret":"file:/nowhere/secret"}]}
      """
    )
    #expect(
      Set(found) == [
        "/partners/0/id", "/partners/0/networks", "/partners/0/url", "/partners/0/colour", "/partners/1/networks",
        "/partners/1/url", "/partners/1/headers/x", "/partners/1/headers/host", "/partners/1/headers/y",
        "/partners/1/secret", "/partners/1/send/1", "/partners/1/windows/0", "/partners/1/retry/delays_s",
        "/partners/1/retry/on/0", "/partners/2/url", "/partners/2/body", "/partners/2/timeout_s",
        "/partners/2/allow_addresses/0", "/partners/2/include/minimum_trust", "/partners/3/body/a",
        "/partners/3/secret",
        "/partners/3/id",
      ]
    )
  }

  @Test(arguments: [
    ("abc123.skadnetwork", true), ("ABC123.AdAttributionKit", true), ("com.apple.ads", true), ("abc123", false),
    ("", false), ("abc123.", false), (".skadnetwork", false), ("abc123.skadnetwork ", false), ("a..b", false),
  ])
  func `has whole ids of networks`(_ id: String, _ isTaken: Bool) {
    let text = #"{"partners":[{"id":"a","networks":["com.example","\#(id)"],"url":"https://p.example/"}]}"#
    #expect(pointers(text) == (isTaken ? [] : ["/partners/0/networks/1"]))
  }

  @Test(arguments: ["abc123.skadnetwork", "ABC123.adattributionkit"])
  func `takes both suffixes of a network for one`(_ id: String) throws {
    let partner = try #require(
      try read(#"{"partners":[{"id":"a","networks":["\#(id)"],"url":"https://p.example/"}]}"#).all.first
    )
    for (network, isTaken) in [
      ("abc123.skadnetwork", true), ("abc123.adattributionkit", true), ("Abc123.SKAdNetwork", true),
      ("abc1234.skadnetwork", false), ("abc123", false),
    ] {
      let values: [TemplatePlaceholder: PlaceholderValue] = [.networkID: .text(network)]
      #expect((values.exclusion(by: partner) != .networks) == isTaken, "\(network)")
    }
  }

  @Test(arguments: ["", "[]", "{", "7", "{}"]) func `must be an object with partners`(_ text: String) {
    #expect(pointers(text).count == 1)
  }

  @Test func `must exist`() {
    #expect(throws: PartnersErrors.self) { try Partners(reading: "/nowhere/partners.json") }
  }

  @Test func `knows the templates that need the body of the postback`() throws {
    for macro in ["raw", "raw_base64", "skan_postback", "sk_payload", "sk_attribution_signature"] {
      let file = #"{"partners":[{"id":"a","networks":"all","url":"https://p.example/?p={\#(macro)}"}]}"#
      #expect(try read(file).all.first?.usesRawBody == true, "\(macro)")
    }
  }

  @Test func `has the keys of its schema`() throws {
    let schema = try JSONValue(parsing: Fixtures.bytes("../schemas/partners.schema.json"))
    func keys(_ value: JSONValue?) -> [String] {
      if case .object(let members)? = value?["properties"] { members.map(\.key) } else { [] }
    }
    let partner = schema["properties"]?["partners"]?["items"]
    #expect(keys(schema) == Partners.keys)
    #expect(keys(partner) == PartnerReader.keys)
    #expect(keys(partner?["properties"]?["include"]) == PartnerReader.includeKeys)
    #expect(keys(partner?["properties"]?["retry"]) == PartnerReader.retryKeys)
    let kinds = partner?["properties"]?["send"]?["items"]?["enum"]
    #expect(kinds == .array(DeliveryKind.allCases.map { .string($0.rawValue) }))
  }
}
