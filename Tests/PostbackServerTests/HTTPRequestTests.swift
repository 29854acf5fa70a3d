import TestSupport
import Testing

@testable import PostbackServer

@Suite struct `A request` {
  private func request(_ target: String, _ headers: [HTTPRequest.Field] = []) -> HTTPRequest {
    HTTPRequest(method: "GET", target: target, headers: headers, client: IPAddress(v4: 1))
  }

  @Test(arguments: [
    ("/a", []), ("/a?", []), ("/a?&&", []), ("/a?b", [("b", "")]), ("/a?b=", [("b", "")]), ("/a?=c", [("", "c")]),
    ("/a?b=c&b=d", [("b", "c"), ("b", "d")]), ("/a?b=c=d", [("b", "c=d")]), ("/a?b=c?d", [("b", "c?d")]),
    ("/a?x=%7B%22USD%22%3A9.99%7d", [("x", #"{"USD":9.99}"#)]), ("/a?x+y=1+2%2B3", [("x y", "1 2+3")]),
    ("/a?x=%C3%A9&y=%00", [("x", "é"), ("y", "\u{0}")]),
  ]) func `has the parameters of its query, decoded`(_ target: String, _ expected: [(String, String)]) {
    #expect(request(target).path == "/a")
    #expect(request(target).parameters == expected.map { HTTPRequest.Field($0.0, $0.1) })
  }

  @Test(arguments: ["/a?x=%", "/a?x=%4", "/a?x=%zz", "/a?%=1", "/a?x=%FF", "/a?x=%C3", "/a?b=c&x=%-1"])
  func `has no parameters where one cannot be decoded`(_ target: String) { #expect(request(target).parameters == nil) }

  @Test(arguments: 0..<50) func `has parameters, or none, whatever its query is`(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let letters = Array("%41zZ&=+? é\u{0}")
    let query = String((0..<40).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
    let parameters = request("/a?" + query).parameters
    #expect((parameters?.count ?? 0) <= query.split(separator: "&").count)
  }

  @Test func `knows its headers in any case`() {
    let fields = [HTTPRequest.Field("X-Forwarded-For", "a"), .init("x-forwarded-FOR", "b"), .init("X-Forwarded", "c")]
    #expect(request("/", fields).values(of: "X-FORWARDED-for") == ["a", "b"])
    #expect(request("/", [.init("[", "a")]).values(of: "{").isEmpty)
  }
}
