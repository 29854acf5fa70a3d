import Foundation
import JSON
import TestSupport
import Testing

/// The counts that the filters of a report's page add up.
@Suite struct `The filters of postback report` {
  /// The JSON in the script element of a page with this id.
  private func data(_ id: String, in page: String) throws -> JSONValue {
    let start = try #require(page.range(of: "<script type=\"application/json\" id=\"\(id)\">")?.upperBound)
    let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)?.lowerBound)
    return try JSONValue(parsing: Array(page[start..<end].utf8))
  }

  private func integers(_ value: JSONValue?) -> [Int] { (value?.array ?? []).compactMap { $0.integer.map { Int($0) } } }

  @Test func `the cells of a choice add up to the rows of the tables`() async throws {
    let site = try await RejectsSite.shared.value
    let page = try await RejectsSite.page.value
    let cube = try data("cube", in: page)
    let rejects = try JSONObject.lines(try site.folder.contents(of: "out/skan_rejects/part-00000001.jsonl"))
    let postbacks = try JSONObject.lines(try site.folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    let counts = integers(cube["counts"])
    let outcomes = try #require(cube["outcomes"]?.array)
    let forwarders = try #require(cube["forwarder"]?.array)
    #expect(counts.count % 6 == 0 && counts.count > 60)
    var byForwarder: [String: [String: Int]] = [:]
    for at in stride(from: 0, to: counts.count, by: 6) {
      let forwarder = forwarders[counts[at + 1]].text ?? "none"
      let code = outcomes[counts[at + 4]].array[0].text ?? "accepted"
      byForwarder[forwarder, default: [:]][code, default: 0] += counts[at + 5]
    }
    var expected: [String: [String: Int]] = [:]
    for row in rejects {
      expected[row.cell("forwarder") ?? "none", default: [:]][row.cell("reject_code") ?? "", default: 0] += 1
    }
    for row in postbacks { expected[row.cell("forwarder") ?? "none", default: [:]]["accepted", default: 0] += 1 }
    #expect(byForwarder == expected)
  }

  @Test func `the first sampled rejects have every code`() async throws {
    let page = try await RejectsSite.page.value
    let rows = try #require(try data("data", in: page)["rows"]?.array).compactMap { $0["reject_code"]?.text }
    let codes = try #require(ReportedTable("Rejects by code", in: page)).rows.map { $0[0] }
    #expect(Set(rows.prefix(codes.count)) == Set(codes))
  }
}
