import JSON
import Testing

@testable import Delivery

@Suite struct `Templates` {
  private func url(
    _ template: String,
    _ values: [TemplatePlaceholder: PlaceholderValue],
    _ booleans: BooleanWords = .words
  ) throws
    -> String
  {
    try URLTemplate(template).expanded(PlaceholderValues(values: values, booleans: booleans))
  }

  private func body(
    _ json: String,
    _ values: [TemplatePlaceholder: PlaceholderValue],
    _ booleans: BooleanWords = .words
  ) throws -> String {
    let node = JSONNode(value: try JSONValue(parsing: Array(json.utf8)), pointer: "")
    let template = BodyTemplate(node) { Issue.record("\($0.pointer): \($1.reason)") }
    return String(decoding: template.expanded(PlaceholderValues(values: values, booleans: booleans)), as: UTF8.self)
  }

  @Test func `a value is encoded for the place where it stands`() throws {
    let name = "a&b+c %é\"\n/?#="
    let values: [TemplatePlaceholder: PlaceholderValue] = [.eventName: .text(name)]
    #expect(
      try url("https://p.example/x?e={event_name}&f=1", values)
        == "https://p.example/x?e=a%26b%2Bc%20%25%C3%A9%22%0A%2F%3F%23%3D&f=1"
    )
    #expect(try url("https://p.example/{event_name}", values).hasSuffix("%2F%3F%23%3D"))
    let text = try body(#"{"e":"{event_name}","f":"<{event_name}>"}"#, values)
    let parsed = try JSONValue(parsing: Array(text.utf8))
    #expect(parsed["e"]?.text == name)
    #expect(parsed["f"]?.text == "<\(name)>")
  }

  @Test(arguments: [
    ("{source_domain}", "..", true), ("{source_domain}", ".", true), (".{source_domain}", ".", true),
    ("%2E{source_domain}", ".", true), ("{source_domain}", "../..", true), ("{source_domain}", "%2e%2e", false),
    ("{source_domain}", "a/../b", true), ("{source_domain}", "/.", true), ("{source_domain}", "..\\..\\b", true),
    ("v{source_domain}", "/../b", true), ("{source_domain}", "a/b", false), ("{source_domain}", "a..b/...", false),
    ("v{source_domain}", "../b", false), ("{source_domain}", "%2f..", false), ("a%2f{source_domain}", "..", true),
    ("{source_domain}", "a", false), ("v{source_domain}", "..", false), ("../x", ".", false),
    ("{country|default:..}", "", true),
  ])
  func `a value that makes a segment of a path go up is found`(_ segment: String, _ value: String, _ isFound: Bool)
    throws
  {
    let values = PlaceholderValues(values: [.sourceDomain: .text(value)], booleans: .words)
    let url = try URLTemplate("https://p.example/a/\(segment)/b?d={source_domain}")
    #expect(url.hasDotSegment(values) == isFound)
  }

  @Test func `a parameter without a value is left out, and 0 is a value`() throws {
    let template = "https://p.example/s?cv={conversion_value}&x=a{country}b&{currency}"
    #expect(try url(template, [:]) == "https://p.example/s?x=ab&")
    #expect(
      try url(template, [.conversionValue: .number("0"), .country: .text("US"), .currency: .text("USD")])
        == "https://p.example/s?cv=0&x=aUSb&USD"
    )
    #expect(try url("https://p.example?cv={conversion_value}", [:]) == "https://p.example/")
  }

  @Test func `numbers and Booleans stand in JSON without quotes`() throws {
    let values: [TemplatePlaceholder: PlaceholderValue] = [
      .conversionValue: .number("0"), .didWin: .boolean(true), .revenue: .number("12.50"),
      .sourceIdentifier: .text("0039"),
    ]
    let json =
      #"{"a":"{conversion_value}","b":["{did_win}",{"c":"{revenue}"}],"d":"{source_identifier}","e":"{country}","f":3}"#
    #expect(try body(json, values) == #"{"a":0,"b":[true,{"c":12.50}],"d":"0039","e":null,"f":3}"#)
    #expect(try body(#"{"b":"{did_win}","c":"won: {did_win}"}"#, values, .digits) == #"{"b":1,"c":"won: 1"}"#)
    let whole = BodyTemplate.wholeObject.expanded(PlaceholderValues(values: values, booleans: .digits))
    #expect(
      String(decoding: whole, as: UTF8.self)
        == #"{"source_identifier":"0039","did_win":1,"conversion_value":0,"revenue":12.50}"#
    )
  }

  @Test func `modifiers change a value`() throws {
    let values: [TemplatePlaceholder: PlaceholderValue] = [
      .country: .text("US"), .receivedAt: .text("2026-03-06T06:23:23.720Z"),
    ]
    #expect(try url("http://p.example/{country|lower}", values) == "http://p.example/us")
    #expect(
      try url("http://p.example/?t={received_at|unix_ms}&c={currency|default:0}", values)
        == "http://p.example/?t=1772778203720&c=0"
    )
    let digest = "9b202ecbc6d45c6d8901d989a918878397a3eb9d00e8f48022fc051b19d21a1d"
    #expect(try url("http://p.example/{country|sha256}", values) == "http://p.example/\(digest)")
  }

  @Test func `names of others stand for the same values`() throws {
    let values: [TemplatePlaceholder: PlaceholderValue] = [
      .networkID: .text("n.skadnetwork"), .redownload: .boolean(false), .rawBase64: .text("e30="),
      .receivedAtUnix: .number("7"),
    ]
    #expect(
      try url("http://p.example/?n={sk_network_id}&r={sk_redownload}&i={sk_invalid_signature}&t={sk_ts}", values)
        == "http://p.example/?n=n.skadnetwork&r=0&i=0&t=7"
    )
    #expect(
      try url("http://p.example/?a={attribution_type}&p={skan_postback}", values)
        == "http://p.example/?a=skadnetwork&p=e30%3D"
    )
  }

  @Test(
    arguments: [
      "ftp://p.example/", "https://{network_id}/", "https://p.example:{app_id}/", "{network_id}://p.example/",
      "https:///x",
      "https://user@p.example/", "https://p.example/#{app_id}", "https://p.example/{unknown}",
      "https://p.example/{app_id",
      "https://p.example/a b", "https://p.example/{app_id|upper}", "https://p.example/{app_id|unix_ms}",
      "https://p.example:99999/", "https://p.example\\@evil/", "https://p.exämple/",
    ]
  ) func `an address is refused if a postback could decide about it, or if it is none`(_ text: String) {
    #expect(throws: Template.Problem.self) { try URLTemplate(text) }
  }
}

@Suite struct `Signatures of requests` {
  @Test func `are those of Standard Webhooks`() throws {
    let secret = try #require(WebhookSignature.secret(Array("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".utf8)))
    let headers = try WebhookSignature(secrets: [secret, secret]).headers(
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      unixSeconds: 1_614_265_330,
      body: Array(#"{"test": 2432232314}"#.utf8)
    )
    let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    #expect(
      headers == [
        "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp: 1614265330",
        "webhook-signature: \(signature) \(signature)",
      ]
    )
    #expect(WebhookSignature.secret(Array("whsec_!".utf8)) == nil)
  }
}

@Suite struct `Addresses` {
  @Test(
    arguments: [
      "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
      "0.0.0.0",
      "0.1.2.3", "::1", "::", "::ffff:10.0.0.1", "::ffff:93.184.216.34", "64:ff9b::a00:1", "fd00::1", "fe80::1",
      "ff02::1",
      "2002:a00:1::", "255.255.255.255", "224.0.0.1", "192.0.0.8", "", "p.example", "::7f00:1",
      "192.0.2.1", "198.51.100.255", "203.0.113.7", "192.88.99.1", "2001:db8::1", "2001:DB8:ffff::", "3fff::1",
      "3fff:fff:ffff::1", "5f00::1", "100::1", "100:0:0:1::1", "2001:2::1", "2001:10::1", "::ffff:0:10.0.0.1",
      "4000::1",
    ]
  ) func `that are not public are refused`(_ address: String) {
    #expect(!PublicAddress(allowing: []).allows(address))
  }

  @Test(arguments: [
    "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.0.3.1", "203.0.114.1", "2606:2800:220:1::1",
    "2001:200::1", "2001:db9::1", "3ffe::1", "3fff:1000::1",
  ])
  func `that are public are allowed`(_ address: String) {
    #expect(PublicAddress(allowing: []).allows(address))
  }
}
