import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct `A server asked for conversion values` {
  /// The request of an app that was just launched and has 0.03 dollars of ad revenue.
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
  func `answers by the models in force`(_ options: [String]) async throws {
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

  @Test func `counts ages, matches names and detects closed windows as the published guide describes`() async throws {
    let site = try await ServerSite(["--models", Fixtures.path("models/1661087323.json")])
    let now = Int(Date().timeIntervalSince1970)
    func answer(_ version: String, _ names: String, first: Int, last: Int) throws -> String {
      let prefix = version == "v2" ? "skan_" : ""
      let times =
        "\(prefix)first_call_to_skadnetwork_timestamp=\(now - first)"
        + "&\(prefix)last_call_to_skadnetwork_timestamp=\(now - last)"
      let target = "/api/\(version)/conversion_value?p=iOS&i=com.example.puzzle&n=__SESSION__&\(names)&\(times)"
      return try site.request("GET", target).text
    }
    let hour = 3600
    #expect(try answer("v2", "", first: 48 * hour, last: 0).contains(#""postback_sequence_index":1,"#))
    #expect(try answer("v2", "", first: 7 * 24 * hour, last: 0).contains(#""postback_sequence_index":2,"#))
    let over = "hours have past since last conversion update"
    #expect(
      try answer("v2", "", first: 35 * 24 * hour, last: 0)
        == #"{"status":"error","reason":"More than 840 \#(over) (840 hours), the update window is closed"}"#
    )
    #expect(
      try answer("v1", "", first: 200 * hour, last: 25 * hour)
        == #"{"status":"error","reason":"More than 24 \#(over) (175 hours), the update window is closed"}"#
    )
    let value = try answer("v2", "skan_current_conversion_value=1", first: hour, last: 0)
    #expect(value.contains(#""conversion_value":"#))
    for names in ["SKAN_CURRENT_CONVERSION_VALUE=1", "Skan_Current_Conversion_Value=1&P0_coarse=2"] {
      #expect(try answer("v2", names, first: hour, last: 0) == value)
    }
    #expect(try await site.stop() == 0)
  }

  @Test func `follows its configuration`() async throws {
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
