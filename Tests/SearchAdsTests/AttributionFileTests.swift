import Signatures
import Tables
import Testing

@testable import SearchAds

@Suite struct AttributionFileTests {
  private func rows(_ text: String) throws -> [AttributionRow] {
    var equal: [String: Int] = [:]
    var rows: [AttributionRow] = []
    try AttributionFile(path: "a.json", bytes: Array(text.utf8)).payloads(&equal) { rows.append($0) }
    return rows
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
}
