import TestSupport
import Testing

/// The pictures and the words of a report's page.
@Suite struct `The pictures of postback report` {
  @Test func `the suspicious records of a forwarder over time add up to its rejects`() async throws {
    let site = try await RejectsSite.shared.value
    let page = try await RejectsSite.page.value
    let shares = try #require(ReportedTable("Suspicious records by forwarder and time", in: page)).rows
    let suspicious = site.rejects.filter { row in
      ["signature_invalid", "unknown_key", "forbidden_character", "duplicate_transaction"]
        .contains(row.cell("reject_code")) && row.cell("received_at_source") == "envelope"
    }
    let names = Set(shares.map { $0[0] })
    #expect(names.contains("no forwarder (devices)") && names.count > 2)
    for name in names {
      let own = suspicious.filter { ($0.cell("forwarder") ?? "no forwarder (devices)") == name }
      let counts = shares.filter { $0[0] == name }.map { Int($0[2]) ?? 0 }
      #expect(counts.reduce(0, +) == own.count, "\(name)")
    }
  }
}
