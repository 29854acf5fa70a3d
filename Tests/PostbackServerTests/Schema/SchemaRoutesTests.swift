import Base
import ConversionModel
import JSON
import Testing

@testable import PostbackServer

@Suite struct `Conversion schemas over HTTP` {
  private static let model = """
    {"app_id":7,"model_id":"revenue","version":3,"effective_from":"2026-03-01T00:00:00Z","currency":"USD","windows":[
     {"postback_sequence_index":0,"fine":{"0":[],"1":[{"event":"purchase","min_count":1,"max_count":1,"min_revenue":0.01,"max_revenue":5}]},
      "coarse":{"low":[],"medium":[{"event":"purchase","min_revenue":5,"max_revenue":null,"value":9}]}}]}
    """
  private let token = Array("0123456789abcdef".utf8)

  private func answer(_ app: String, _ headers: [(String, String)] = []) throws -> HTTPResponse {
    let client = try #require(IPAddress("192.0.2.1"))
    let routes = SchemaRoutes(try Models(parsing: Array(Self.model.utf8)), tokens: [token])
    let fields = headers.map { HTTPRequest.Field($0.0, $0.1) }
    let request = HTTPRequest(method: "GET", target: "/v1/schema/\(app)", headers: fields, client: client)
    return routes.answer(request, at: try #require(Timestamp("2026-04-01T00:00:00Z")))
  }

  private let bearer = ("Authorization", "Bearer 0123456789abcdef")

  @Test func `have the meaning of each value`() throws {
    let response = try answer("7", [bearer])
    #expect(response.status == 200)
    let json = try JSONValue(parsing: response.body)
    #expect(json["app_id"]?.integer == 7)
    #expect(json["last_config_change"]?.text == "2026-03-01T00:00:00Z")
    #expect(json["measurement_window_hours"]?.integer == 24)
    let expected = """
      [{"window":0,"fine":0,"events":[],"revenue_min":0,"revenue_max":0,"currency":"USD"},\
      {"window":0,"fine":1,"events":[{"name":"purchase","count_min":1,"count_max":1}],"revenue_min":0.01,"revenue_max":5,\
      "currency":"USD"},{"window":0,"coarse":"low","events":[],"revenue_min":0,"revenue_max":0,"currency":"USD"},\
      {"window":0,"coarse":"medium","events":[{"name":"purchase","count_min":1,"count_max":1}],"revenue_min":5,\
      "revenue_max":null,"currency":"USD"}]
      """
    #expect(json["mappings"]?.description == expected)
    #expect(json["lock_window"]?.description == #"[{"window":0,"lock":"never"}]"#)
  }

  @Test func `are not sent again to who has them`() throws {
    let tag = try #require(try answer("7", [bearer]).headers.first { $0.name == "ETag" }?.value)
    for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
      let response = try answer("7", [bearer, ("If-None-Match", known)])
      #expect(response.status == 304)
      #expect(response.body.isEmpty)
    }
    #expect(try answer("7", [bearer, ("If-None-Match", "\"other\"")]).status == 200)
  }

  @Test func `are only for those with a token, and for apps with a model`() throws {
    #expect(try answer("7").status == 401)
    #expect(try answer("7", [("Authorization", "Bearer 0123456789abcdeg")]).status == 401)
    for app in ["8", "07", "+7", "x", ""] { #expect(try answer(app, [bearer]).status == 404) }
  }

  @Test func `are found at their path, and only with tokens`() throws {
    let models = try Models(parsing: Array(Self.model.utf8))
    let router = Router(SchemaRoutes(models, tokens: [token]).routes)
    func isFound(_ method: String, _ path: String) -> Bool {
      if case .success = router.route(method, path) { true } else { false }
    }
    #expect(isFound("GET", "/v1/schema/7"))
    #expect(isFound("HEAD", "/v1/schema/7/"))
    for path in ["/v1/schema", "/v1/schema/7/8", "/v1", "/", "/v1/schemata/7"] {
      #expect(!isFound("GET", path), "\(path)")
    }
    #expect(!isFound("POST", "/v1/schema/7"))
    #expect(SchemaRoutes(models, tokens: []).routes.isEmpty)
  }
}
