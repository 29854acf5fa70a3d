import HTTPClient
import Ledger
import TestSupport
import Testing

@testable import Delivery

@Suite struct `The secrets of a partner` {
  private static let token = "Bearer aB+/\"cD=ef"

  private func masked(_ answer: String, _ secrets: [String] = [token]) -> String {
    var found = PartnerSecrets()
    for secret in secrets { found.add(secret) }
    return found.masked(answer)
  }

  @Test(arguments: [
    ("no: Bearer aB+/\"cD=ef!", "no: …!"), ("token aB+/\"cD=ef is wrong", "token … is wrong"),
    (#"{"got":"Bearer aB+/\"cD=ef"}"#, #"{"got":"…"}"#), (#"{"got":"aB+\/\"cD=ef"}"#, #"{"got":"…"}"#),
    ("?key=aB%2B%2F%22cD%3Def&x=1", "?key=…&x=1"), ("aB+/\"cD=efaB+/\"cD=ef", "……"),
    ("aB+/\"cD=ef\u{301}", "…\u{301}"), ("aB+/\"cD=eF", "aB+/\"cD=eF"), ("", ""),
  ])
  func `are masked in an answer, also in JSON, in a URL and without the name of the scheme`(
    _ answer: String,
    _ expected: String
  ) {
    #expect(masked(answer) == expected)
  }

  @Test(arguments: [
    ("no: Bearer aB+/\"", "no: …"), ("no: Bear", "no: …"), ("no: aB+/", "no: …"), ("no: aB+", "no: aB+"),
    ("Bearer aB+/\"cD=ef aB+/\"c", "… …"), ("no: Bearer", "no: …"), ("no: Bearer\u{FFFD}", "no: …"),
    ("no\u{FFFD}", "no\u{FFFD}"),
  ])
  func `are masked where an answer is cut within them`(_ answer: String, _ expected: String) {
    #expect(masked(answer) == expected)
  }

  @Test func `are masked one by one, and the longest first`() {
    #expect(masked("k1 k1k2, k3", ["k1", "k1k2", " k3 "]) == "… …, …")
    #expect(masked("MfKQ9r8GKYqrTwjU whsec_MfKQ9r8GKYqrTwjU", ["whsec_MfKQ9r8GKYqrTwjU"]) == "… …")
    #expect(masked("any answer", []) == "any answer" && masked("any answer", [" "]) == "any answer")
  }

  @Test func `of its configuration do not stand in what is kept of an answer`() throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("key", holding: Array("file secret 0123\n".utf8))
    try folder.makeFile(
      "partners.json",
      holding: Array(
        """
        {"partners":[{"id":"acme","networks":"all","url":"https://acme.example/","body":"json","secret":"env:SIGN",
         "headers":{"authorization":"env:TOKEN","x-key":"file:\(folder.path("key"))","accept":"text/plain"}}]}
        """.utf8
      )
    )
    let environment = ["SIGN": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "TOKEN": "Bearer HEADERSECRET"]
    let partners = try Partners(reading: folder.path("partners.json")) { environment[$0] }
    let filling = String(repeating: "x", count: 150)
    let transport = ModelTransport { request, _ in
      let headers = request.headers.joined(separator: "\n")
      return IncomingResponse(
        number: request.number,
        status: 400,
        text: "\(headers) MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw \(filling) HEADERSECRET file secret"
      )
    }
    let site = try DeliverySite(partners.all, transport)
    try site.plan(1, to: "acme")
    try site.send()
    let error = try #require(try site.outbox.statement("SELECT error FROM deliveries").first { $0.text(0) })
    #expect(error.contains("authorization: …\\u{a}") && error.contains("x-key: …") && error.contains("text/plain"))
    #expect(error.unicodeScalars.count == 200)
    for secret in ["HEAD", "0123", "MfKQ"] { #expect(!error.contains(secret), "\(error)") }
  }
}
