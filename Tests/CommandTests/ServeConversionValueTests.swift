import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct `A server asked for conversion values` {
  /// An app that was launched just now has seen ads for 0.03 dollars.
  private static func target(_ version: String, app: String = "com.example.puzzle") -> String {
    let now = Int(Date().timeIntervalSince1970)
    let prefix = version == "v2" ? "skan_" : ""
    return
      "/api/\(version)/conversion_value?p=iOS&i=\(app)&n=ad_impression&\(prefix)first_call_to_skadnetwork_timestamp="
      + "\(now)&\(prefix)total_admon_revenue_by_currency=%7B%22USD%22%3A0.03%7D"
  }

  private static func noModel(_ app: String) -> String {
    #"{"status":"error","reason":"Conversion Management: Conversion Model not found for app: \#(app)"}"#
  }

  @Test(arguments: [[], ["--watch", "--out", "FOLDER/out"]])
  func `answers by the models of the moment`(_ options: [String]) async throws {
    let models = try TemporaryFolder()
    let model = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("models/1661087323.json")))
    try models.makeFile("m.json", holding: Array(model))
    let site = try await ServerSite(["--models", models.path("m.json")] + options)
    let client = try site.client()
    let answer = try client.request("GET", Self.target("v2"))
    #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
    #expect(
      answer.text
        == #"{"conversion_value":2,"skan_updated_coarse_value":1,"postback_sequence_index":0,"status":"ok"}"#
    )
    #expect(try client.request("GET", Self.target("v1")).text == #"{"conversion_value":2,"status":"ok"}"#)
    #expect(try client.request("GET", Self.target("v2", app: "com.example")).text == Self.noModel("com.example"))
    #expect(try client.request("GET", "/api/v3/conversion_value").status == 404)
    #expect(try client.request("POST", Self.target("v2"), body: []).status == 405)

    // The app gets another bundle id.
    let text = String(decoding: model, as: UTF8.self).replacing("com.example.puzzle", with: "com.example.other")
    try models.makeFile("m.json", holding: Array(text.utf8))
    site.signal(SIGHUP)
    try await site.wait("the models are loaded again") {
      try site.request("GET", Self.target("v2", app: "com.example.other")).text == answer.text
    }
    #expect(try client.request("GET", Self.target("v2")).text == Self.noModel("com.example.puzzle"))
    #expect(try site.metric(#"postback_http_requests_total{route="conversion_value_v1",status="200"}"#) == 1)
    #expect(try await site.stop() == 0)
  }

  @Test func `goes by what is configured`() async throws {
    let configuration = """
      {"models":["\(Fixtures.path("models/1176027022.json"))"],"apps":{"com.example.levels":1176027022},
       "sdk_keys":["right"],"rates":"FOLDER/rates.csv"}
      """
    let rates = "date,currency,rate\n2026-01-01,EUR,1\n"
    let site = try await ServerSite([], configuration: configuration, files: ["rates.csv": rates])
    let target = Self.target("v2", app: "com.example.levels")
    #expect(try site.request("GET", target).text.contains("Invalid parameter a given"))
    #expect(try site.request("GET", "\(target)&a=wrong").text.contains("Invalid parameter a given"))
    #expect(try site.request("GET", "\(target)&a=right").text.contains(#""conversion_value":"#))
    let revenue = "&skan_total_revenue_by_currency=%7B%22USD%22%3A5%7D"
    #expect(try site.request("GET", "\(target)&a=right\(revenue)").text.contains("Cannot find currency of owner"))
    #expect(try await site.stop() == 0)
  }
}
