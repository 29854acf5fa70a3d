import TestSupport
import Testing

@testable import postback

/// The pictures and the words of a report's page.
@Suite struct `The pictures of postback report` {
  @Test func `the suspicious records of a forwarder over time add up to its rejects`() async throws {
    let site = try await RejectsSite.shared.value
    let page = try await BuiltCommand.run(["report", site.out, "--html", "-"]).text
    let shares = try #require(ReportedTable("Suspicious records by forwarder and time", in: page)).rows
    let suspicious = site.rejects.filter { row in
      ["signature_invalid", "unknown_key", "forbidden_character", "duplicate_transaction"]
        .contains(row.cell("reject_code")) && row.cell("received_at_source") == "envelope"
    }
    let names = Set(shares.map { $0[0] })
    #expect(names.contains("no forwarder (devices)") && names.count > 2)
    for name in names {
      let own = suspicious.filter { ($0.cell("forwarder") ?? "no forwarder (devices)") == name }
      #expect(shares.filter { $0[0] == name }.reduce(0) { $0 + (Int($1[2]) ?? 0) } == own.count, "\(name)")
    }
  }

  @Test func `the page and the docs have the same words`() async throws {
    let site = try await RejectsSite.shared.value
    let page = try await BuiltCommand.run(["report", site.out, "--html", "-"]).text
    let docs = String(decoding: Fixtures.bytes("../docs/analysts.md"), as: UTF8.self)
    for entry in Glossary.entries {
      #expect(docs.contains("| \(entry.word) | \(entry.others) | \(entry.meaning) |"), "\(entry.word)")
      let word: HTML = "<dt>\(entry.word)</dt>"
      #expect(page.contains(word.markup))
    }
  }

  @Test func `a funnel plot has the distance of each party from the mean in standard errors`() throws {
    let points = [("a", 10, 100), ("b", 100, 1000), ("c", 190, 1000)].map { (name: $0.0, count: $0.1, total: $0.2) }
    let plot = FunnelPlot(title: "Plot", id: "plot", caption: "Distances", kind: "party", points: points)
    let rows = try #require(ReportedTable("Distances", in: plot.html.markup)).rows
    // The mean is 300 of 2100, and its standard error for 1000 records 0.011066.
    #expect(rows.map { $0[0] } == ["b", "c", "a"] && rows.map { $0[4] } == ["-3.9", "4.3", "-1.2"])
    #expect(FunnelPlot(title: "", id: "", caption: "", kind: "", points: Array(points.prefix(2))).html.markup.isEmpty)
  }
}
