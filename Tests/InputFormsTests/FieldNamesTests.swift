import InputForms
import SKAdNetwork
import Testing

@Suite struct `Names of columns` {
  @Test func `stand for a field each, its own name before a synonym`() {
    let names = ["network_id", "AD_NETWORK_ID", "ad-network-id", "country", "note", "received_at", "campaign id"]
    #expect(FieldNames.fields(of: names) == [nil, nil, .adNetworkID, .countryCode, nil, .receivedAt, .campaignID])
    #expect(FieldNames.fields(of: ["network_id", "ad_network_id"]) == [nil, .adNetworkID])
    #expect(FieldNames.fields(of: []) == [])
  }

  @Test(arguments: [
    (["note", "skad_app_id", "arrival_date"], "appsflyer", ["skad_app_id", "arrival_date"]),
    (["SKAN App ID", "Cost", "SKAN Installs"], "singular", ["SKAN App ID", "SKAN Installs"]),
    (["sk_payload", "note"], "adjust", ["sk_payload"]),
    (["sk_app_id", "sk_ts"], "adjust-placeholders", ["sk_app_id", "sk_ts"]),
    (["timestamp", "body_app_id"], "branch", ["timestamp", "body_app_id"]),
  ])
  func `have a built-in mapping that reads most of them`(_ names: [String], _ mapping: String, _ read: [String]) throws
  {
    let found = try #require(Mapping.reading(names))
    #expect(found.mapping.name == mapping && found.names == read)
  }

  @Test func `have none if it reads none of them, or only says that they are none`() {
    #expect(
      Mapping.reading(["note", "app_id", "Country", "country_code", "count", "Conversion Value", "request_body"]) == nil
    )
    #expect(Mapping.reading([]) == nil)
  }
}
