import Testing

@testable import PostbackServer

@Suite struct `A request` {
  private func request(_ target: String, _ headers: [HTTPRequest.Field] = []) -> HTTPRequest {
    HTTPRequest(method: "GET", target: target, headers: headers, client: IPAddress(v4: 1))
  }

  @Test(arguments: [("/a", "/a", ""), ("/a?", "/a", ""), ("/a?b=%41?c", "/a", "b=%41?c"), ("", "", ""), ("?", "", "")])
  func `has a path and a query as they were sent`(_ target: String, _ path: String, _ query: String) {
    #expect(request(target).path == path && request(target).query == query)
  }

  @Test func `knows its headers in any case`() {
    let fields = [HTTPRequest.Field("X-Forwarded-For", "a"), .init("x-forwarded-FOR", "b"), .init("X-Forwarded", "c")]
    #expect(request("/", fields).values(of: "X-FORWARDED-for") == ["a", "b"])
    #expect(request("/", [.init("[", "a")]).values(of: "{").isEmpty)
  }
}
