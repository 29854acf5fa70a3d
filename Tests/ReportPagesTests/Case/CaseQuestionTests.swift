import JSON
import PostbackVerification
import TableReading
import Tables
import Testing

@testable import ReportPages

@Suite struct `The question of a case` {
  private func question(_ condition: String, of tables: WrittenTables) throws -> CaseQuestion {
    var request = try CaseRequest([condition], since: nil, until: nil)
    request.diagnosisLimit = 0
    return CaseQuestion(
      request: request,
      tables: try tables.tables,
      paths: [tables.out],
      trust: try TrustPolicy.apple()
    )
  }

  private static func tables() throws -> WrittenTables {
    try WrittenTables(
      [["forwarder": #""one-sender""#], ["forwarder": #""other""#]],
      rejects: [
        ["forwarder": #""one-sender""#], ["forwarder": #""other""#, "reject_code": #""too_large""#],
        ["forwarder": #""<i>""#, "raw_body": "null", "raw_body_base64": #""PGI+""#],
      ]
    )
  }

  @Test func `is answered with the records of a party, as JSON and as a page`() async throws {
    let tables = try Self.tables()
    let answer = try #require(try await question("forwarder=one-sender", of: tables).answer())
    #expect(answer.json["read"]?.integer == 2 && answer.json["accepted"]?.integer == 1)
    #expect(answer.json["rejected_by_code"]?.elements.compactMap { $0["reject_code"]?.text } == ["not_json"])
    #expect(answer.json["tables"]?.elements.map(\.text) == [tables.out])
    let page = String(decoding: try answer.page(), as: UTF8.self)
    #expect(page.contains("<title>Case: forwarder=one-sender</title>") && page.contains(tables.out))
    #expect(page.contains("No test raised an alarm about this party."))
    #expect(answer.unlisted == 0 && answer.csv(hasRevenue: false).hasPrefix("transaction_id,app_id,"))
    #expect(try await question("forwarder=nobody", of: tables).answer() == nil)
  }

  @Test func `shows the copy that each sender sent, also of equal bytes`() async throws {
    let key = #""00000000000000000000000000010000""#
    func copy(_ forwarder: String, _ hour: Int) -> WrittenTables.Columns {
      [
        "forwarder": "\"\(forwarder)\"", "reject_code": #""duplicate_conflict""#, "transaction_id": #""t""#,
        "raw_sha256": #""ab""#, "first_seen_postback_key": key, "received_at": "\"2026-03-10T0\(hour):00:00Z\"",
        "conflicting_fields": #"[{"field":"conversion-value","first":"1","later":"9"}]"#,
      ]
    }
    let tables = try WrittenTables([["transaction_id": #""t""#]], rejects: [copy("gamma", 7), copy("beta", 8)])
    let answer = try #require(try await question("forwarder=gamma", of: tables).answer())
    let examples = answer.json["examples"]?.elements ?? []
    #expect(examples.first?["row"]?["forwarder"]?.text == "gamma", "\(examples)")
  }

  @Test func `has no formula in its CSV`() async throws {
    let sent = ["forwarder": #""+evil""#, "reject_code": #""signature_invalid""#, "transaction_id": #""=1+1""#]
    let tables = try WrittenTables([], rejects: [sent])
    let csv = try #require(try await question("forwarder=+evil", of: tables).answer()).csv(hasRevenue: true)
    #expect(csv.contains("\r\n'=1+1,") && csv.contains(",'+evil,") && !csv.contains(",+evil"))
  }

  @Test func `for a partner has no path of ours, and names of senders are text`() async throws {
    let tables = try Self.tables()
    var question = try question(#"forwarder="<i>""#, of: tables)
    question.request.isForPartner = true
    let answer = try #require(try await question.answer())
    let page = String(decoding: try answer.page(), as: UTF8.self)
    for text in [page, answer.json.description] { #expect(!text.contains(tables.out) && !text.contains("one-sender")) }
    #expect(!page.contains("<i>") && page.contains("&lt;i&gt;"))
    #expect(page.contains("<pre>&lt;b&gt;</pre>"))
  }
}
