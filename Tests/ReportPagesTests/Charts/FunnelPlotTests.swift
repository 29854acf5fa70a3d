import PageMarkup
import TestSupport
import Testing

@testable import ReportPages

@Suite struct `A funnel plot` {
  @Test func `has the distance of each party from the mean in standard errors`() throws {
    let points = [("a", 10, 100), ("b", 100, 1000), ("c", 190, 1000)].map { (name: $0.0, count: $0.1, total: $0.2) }
    let plot = FunnelPlot(title: "Plot", id: "plot", caption: "Distances", kind: "party", points: points)
    let rows = try #require(ReportedTable("Distances", in: plot.html.markup)).rows
    // The mean is 300 of 2100, and its standard error for 1000 records 0.011066.
    #expect(rows.map { $0[0] } == ["b", "c", "a"] && rows.map { $0[4] } == ["-3.9", "4.3", "-1.2"])
    #expect(FunnelPlot(title: "", id: "", caption: "", kind: "", points: Array(points.prefix(2))).html.markup.isEmpty)
  }
}
