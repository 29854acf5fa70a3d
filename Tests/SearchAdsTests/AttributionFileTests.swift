import DurableFiles
import JSON
import Signatures
import Tables
import Testing

@testable import SearchAds

@Suite struct AttributionFileTests {
  private func rows(_ text: String) throws -> [AttributionRow] {
    try AttributionFile(path: "a.json", bytes: Array(text.utf8)).payloads { _ in false }
  }

  private func places(_ text: String) throws -> [String] {
    try rows(text).map { "\($0.integer(.sourceLine) ?? 0) \($0.outcome.rawValue)" }
  }

  /// Payloads with strings that have brackets, commas and quotes in them.
  private static let payloads = (0..<9000).map { number in
    #"{"attribution":true,"campaignId":\#(number),"a":["},{","\\",{"b":"\"]"}],"note":"\#(String(repeating: "x", count: 99))"}"#
  }

  @Test(arguments: [",", ",\n  "]) func `an array may have more bytes than a record`(_ separator: String) throws {
    let text = "[\(Self.payloads.joined(separator: separator))]\n"
    #expect(text.utf8.count > 1 << 20)
    for text in [text, "{\"attribution\":false}\n" + (separator == "," ? text : "")] {
      let rows = try rows(text)
      #expect(rows.allSatisfy { $0.outcome == .payload })
      #expect(rows.compactMap { $0.integer(.campaignID) } == (rows.count > 1 ? Array(0..<9000) : []))
    }
  }

  @Test func `an element has its line, and a broken one takes no other with it`() throws {
    let found = try places(
      "\n[\n  {\n \"attribution\": true },\n  {\"attribution\": tru},\n 1, {\"attribution\":false}\n]\n"
    )
    #expect(found == ["3 payload", "5 malformed", "6 malformed", "6 payload"])
    let long = String(repeating: "x", count: 1 << 20)
    #expect(try places("[{\"a\":\"\(long)\"},{\"attribution\":true}]") == ["1 malformed", "1 payload"])
  }

  @Test(arguments: ["[1", "[1,]", "[,1]", "[1]]", "[1}]", "[1] x", "[\"]", "x", "[{]"])
  func `a line that is no array is one record`(_ line: String) throws {
    #expect(try places("\(line)\n[]\n[ ]\n[true]") == ["1 malformed", "4 malformed"])
  }

  @Test func `dictionaries that Swift prints are read between others`() throws {
    let swift = #"["attribution": 1, "campaignId": 6]"#
    let log = "[log] {\nattribution = 0;\n}\nlog"
    let found = try places("\(swift)\n{ attribution = 1; }\n  \(swift)\r\n\(log)\n\(swift)")
    #expect(found == ["1 payload", "2 payload", "3 payload", "4 payload", "7 malformed", "8 payload"])
  }

  @Test func `dictionaries that Swift prints may have texts without quotes`() throws {
    let rest = #""orgId": 40669820, "clickDate": 2026-03-09T17:17Z, "adId": <null>, "attribution": 1]"#
    let line = #"["countryOrRegion": US, "# + rest
    let rows = try rows("\(line)\n\(line.replacing("US", with: "DE"))\n")
    #expect(rows.map(\.outcome) == [.payload, .payload] && rows.map { $0.text(.country) } == ["US", "DE"])
    #expect(
      rows.map { $0.integer(.orgID) } == [40_669_820, 40_669_820] && rows.allSatisfy { $0.text(.rawBody) == nil }
    )
    #expect(rows.map { $0.text(.clickAt) } == ["2026-03-09T17:17:00Z", "2026-03-09T17:17:00Z"])
    #expect(try places("log\n{ attribution = 1; }\n\(line)") == ["1 malformed", "2 payload", "3 payload"])
  }

  @Test(arguments: [
    (#"["a": x, y, "b": "p, \"q\": r", "c": true]"#, #"{"a":"x, y","b":"p, \"q\": r","c":true}"#),
    (#"["a":x]"#, #"{"a":"x"}"#),
  ])
  func `a text without quotes ends before the next key`(_ line: String, _ expected: String) {
    #expect(PrintedDictionary.swiftDictionary(in: Array(line.utf8)[...])?.description == expected)
  }

  @Test(.timeLimit(.minutes(1))) func `a dictionary of Swift may have as many members as a record holds`() {
    let line = "[" + (0..<60_000).map { "\"k\($0)\": US" }.joined(separator: ", ") + "]"
    guard case .object(let members)? = PrintedDictionary.swiftDictionary(in: Array(line.utf8)[...]) else {
      Issue.record("no dictionary")
      return
    }
    #expect(members.count == 60_000)
  }

  @Test(arguments: [
    #"["a": Optional(1)]"#, #"["a": x, "a": y]"#, #"["a": ]"#, "[\"a\": x\n, \"b\": y]", #"["a", x]"#,
    #"["a": [1: 2]]"#, #"["a": "x]"#, #"["a": ["b": x]]"#,
  ])
  func `others are no dictionaries of Swift`(_ line: String) {
    #expect(PrintedDictionary.swiftDictionary(in: Array(line.utf8)[...]) == nil)
  }

  @Test func `white space around a token is no part of it`() throws {
    let payloads = ["t", " t ", #"t\n"#, " "].map { #"{"token":"\#($0)","payload":{"attribution":true}}"# }
    let rows = try rows(payloads.joined(separator: "\n"))
    #expect(Set(rows.map { $0.text(.tokenSHA256) }).count == 2 && rows.last?.text(.tokenSHA256) == nil)
    var tokens: [String] = []
    let text = #"{"token":" t "}"# + "\n" + #"{"token":"t u"}"#
    let file = AttributionFile(path: "a", bytes: Array(text.utf8))
    let malformed = try file.tokens({ _ in false }) { tokens.append($0.text) }
    #expect(tokens == ["t"] && malformed.count == 1)
  }

  // MARK: - Files that are no records

  @Test(arguments: [
    "received_at,token,app_id,payload\n2026-03-10T10:00:00Z,t,1,\"{}\"\n", "\u{FEFF}\"Token\";\"app id\"\n",
    "a\0b", "\u{1}", "t\ttoken",
  ])
  func `a file of CSV or no text is refused`(_ text: String) {
    #expect(throws: FileFailure.self) { try AttributionFile.check(Array(text.utf8), at: "a") }
    #expect(throws: FileFailure.self) { try AttributionFile.check([0xFF, 0xFE] + Array(text.utf8), at: "a") }
  }

  @Test(arguments: [
    "", "{\"token\":\"a\",\"payload\":1}", "log, payload: {\n", "[\"attribution\": 1, \"orgId\": 5]",
    "{ attribution = 1; }",
    "2026-03-10 App[1:2] token, a\n{", "\u{1B}[0m{", "token\n",
  ])
  func `a file that may have records is read`(_ text: String) throws {
    try AttributionFile.check(Array(text.utf8), at: "a")
  }
}
