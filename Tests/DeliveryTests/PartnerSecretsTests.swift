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

  @Test(arguments: [
    (#"{"got":"Bearer aB\u002B/\u0022cD=ef"}"#, #"{"got":"…"}"#), (#"aB\u002b\u002f\u0022cD\u003def"#, "…"),
    (#"\u0061B+/\"cD=ef"#, "…"), ("k=aB%2b%2f%22cD%3def&", "k=…&"), ("Bearer+aB%2B/%22cD=ef", "…"),
    ("Bearer%20aB+/%22cD=ef", "…"), (#"aB\+\/\"cD\=ef"#, "…"), ("<b>aB&#43;/&quot;cD&#61;ef</b>", "<b>…</b>"),
    ("aB&#x2B;&#X2f;&#34;cD&#x3d;ef", "…"), ("aB&#0043;/&#x00022;cD=ef", "…"), (#"aB%2B\u002F&quot;cD\=ef"#, "…"),
    ("aB%2C/\"cD=ef", "aB%2C/\"cD=ef"), (#"aB\u002C/"cD=ef"#, #"aB\u002C/"cD=ef"#),
    ("aB&#44;/\"cD=ef", "aB&#44;/\"cD=ef"), ("aB /\"cD=ef", "aB /\"cD=ef"),
  ])
  func `are masked with any of their characters escaped`(_ answer: String, _ expected: String) {
    #expect(masked(answer) == expected)
  }

  @Test(arguments: [
    ("a&amp;b&lt;c&gt;d&#39;", "a&b<c>d'"), ("a&b&lt;c>d&apos;", "a&b<c>d'"),
    (#"a\u0026b\u003Cc\u003Ed\u0027"#, "a&b<c>d'"),
    (#"a\\b"#, #"a\b"#), (#"a\b"#, #"a\b"#), ("a%25b", "a%b"), ("a%b", "a%b"), ("a%2525b", "a%25b"), (#"a\tb"#, "a\tb"),
    ("é😀", "é😀"), ("%c3%a9%F0%9f%98%80", "é😀"), (#"\u00E9\uD83D\ude00"#, "é😀"), ("&#233;&#x1F600;", "é😀"),
    (#"\u00c3\u00a9😀"#, "é😀"),
  ])
  func `are masked whatever they have of escapes themselves`(_ answer: String, _ secret: String) {
    #expect(masked("x\(answer)y", [secret]) == "x…y")
    #expect(masked(answer, [secret]) == "…")
  }

  @Test func `are masked where an answer is cut within an escape`() {
    let secret = "abcd+/é😀ef"
    for written in [
      #"abcd\u002B\/\u00E9\uD83D\uDE00ef"#, "abcd%2b%2f%C3%a9%f0%9F%98%80ef", "abcd&#43;&#x2F;&#233;&#x1f600;ef",
      secret,
    ] {
      for length in 4...written.utf8.count {
        let answer = String(decoding: Array(written.utf8.prefix(length)), as: UTF8.self)
        #expect(masked("no: \(answer)", [secret]) == "no: …", "\(answer)")
      }
    }
    for answer in [#"abc\u00"#, "abc%2", "abc&#4", "abcd%2x", #"abcd\u00x"#, "abcd&user"] {
      #expect(masked(answer, ["abcdef"]) == answer)
    }
    #expect(masked("abcd&am", ["abcd&ef"]) == "…" && masked(#"abcd\"#, [#"abcd"ef"#]) == "…")
    #expect(masked("abcd&xy", ["abcd&x"]) == "…y")
  }

  @Test func `do not change an answer without them`() {
    for answer in [
      #"{"a":"\u002B\"\\ %2b %","b":"&amp;&#43;&#x;&#;&"}"#, "%", "\\", "&", "&#", "+", #"\u"#, #"\uD83D\u"#,
      "e\u{301}\u{FFFD}",
      "&#99999999;&#x110000;", "\r\n\0",
    ] {
      #expect(Array(masked(answer).utf8) == Array(answer.utf8))
    }
  }

  @Test func `are masked where they overlap`() {
    #expect(masked("xabcdefy", ["abc", "bcdef"]) == "x…y" && masked("aaaaa", ["aaa"]) == "…")
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
