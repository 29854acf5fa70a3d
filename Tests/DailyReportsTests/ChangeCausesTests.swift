import JSON
import Tables
import Testing

@testable import DailyReports

@Suite struct ChangeCausesTests {
  private func provenance(
    _ digests: [ChangeReason: String] = [:],
    settlement: String? = nil,
    bytes: Int64 = 1
  ) -> DailyProvenance {
    var provenance = DailyProvenance()
    (provenance.digests, provenance.settlement, provenance.inputBytes) = (digests, settlement, bytes)
    return provenance
  }

  private func reason(
    _ column: ColumnName,
    isLate: Bool = false,
    _ before: DailyProvenance,
    _ after: DailyProvenance
  ) -> ChangeReason? {
    after.causes(comparedWith: before).reason(of: column, isLate: isLate)
  }

  @Test func `with the same files only late postbacks change a number`() {
    for column in DailyStoredRows.metrics where ![.cost, .impressions, .clicks, .networkInstalls].contains(column) {
      #expect(reason(column, provenance(), provenance(bytes: 2)) == .latePostback, "\(column)")
    }
    #expect(reason(.cost, provenance(), provenance()) == nil)
  }

  @Test(arguments: [
    (ChangeReason.lookup, [ColumnName.installs, .values, .revenue, .cost, .clicks]), (.rates, [.revenue, .cost]),
    (.cost, [.cost, .clicks]), (.model, [.values, .revenue, .decoded, .conflicts]),
  ]) func `another file is the reason of the numbers that follow from it`(
    _ reason: ChangeReason,
    _ columns: [ColumnName]
  ) {
    for column in columns {
      let (before, after) = (provenance([reason: "a"]), provenance([reason: "b"]))
      #expect(self.reason(column, before, after) == reason, "\(column)")
      // Postbacks of the day that came at the same time may be a reason too, but not of costs.
      let isOfCosts = [.cost, .clicks].contains(column)
      #expect(self.reason(column, isLate: true, before, after) == (isOfCosts ? reason : nil), "\(column)")
    }
    if reason != .lookup { #expect(self.reason(.installs, provenance([reason: "a"]), provenance()) == .latePostback) }
  }

  @Test func `another settlement of the same copies is one with other models`() {
    #expect(reason(.revenue, provenance(settlement: "a"), provenance(settlement: "b")) == .model)
    #expect(reason(.revenue, provenance(), provenance(settlement: "b")) == .model)
    #expect(reason(.installs, provenance(settlement: "a"), provenance(settlement: "b")) == .latePostback)
  }

  @Test func `another settlement of more copies is uncertain unless it names its models`() {
    let (before, after) = (provenance(settlement: "a"), provenance(settlement: "b", bytes: 2))
    #expect(reason(.revenue, before, after) == nil)
    #expect(reason(.revenue, isLate: true, before, after) == .latePostback)
    #expect(reason(.installs, before, after) == .latePostback)
    let (one, same) = (provenance([.model: "m"], settlement: "a"), provenance([.model: "m"], settlement: "b", bytes: 2))
    #expect(reason(.revenue, one, same) == .latePostback)
    let other = provenance([.model: "n"], settlement: "b", bytes: 2)
    #expect(reason(.revenue, one, other) == .model)
  }

  @Test func `a change without more postbacks is one of late copies`() {
    func provenance(accepted: Int64, copies: Int64, settlement: String = "s") -> DailyProvenance {
      var provenance = self.provenance([.model: "m"], settlement: settlement, bytes: accepted + copies)
      provenance.acceptedBytes = accepted
      return provenance
    }
    let before = provenance(accepted: 5, copies: 1)
    for column in [.installs, .revenue, .conflicts] as [ColumnName] {
      #expect(reason(column, before, provenance(accepted: 5, copies: 2)) == .lateCopy)
      // The copy may have moved the postback to another day.
      #expect(reason(column, isLate: true, before, provenance(accepted: 5, copies: 2)) == .lateCopy)
      #expect(reason(column, before, provenance(accepted: 5, copies: 1, settlement: "t")) == .lateCopy)
      #expect(reason(column, isLate: true, before, provenance(accepted: 6, copies: 2)) == .latePostback)
      #expect(reason(column, before, provenance(accepted: 6, copies: 2)) == .lateCopy)
      #expect(reason(column, before, provenance(accepted: 6, copies: 1)) == .latePostback)
    }
  }

  @Test(arguments: ["model_id", "app_id;model_version"])
  func `where rows are grouped by the model, another one moves postbacks too`(_ dimensions: String) {
    func provenance(_ model: String, settlement: String, _ dimensions: String) -> DailyProvenance {
      var provenance = self.provenance([.model: model], settlement: settlement, bytes: 6)
      (provenance.acceptedBytes, provenance.settings) = (5, ["dimensions=\(dimensions)"])
      return provenance
    }
    for column in [.postbacks, .installs, .conversions, .values, .revenue] as [ColumnName] {
      let before = provenance("m", settlement: "s", dimensions)
      #expect(reason(column, before, provenance("n", settlement: "t", dimensions)) == .model, "\(column)")
      #expect(reason(column, before, provenance("m", settlement: "t", dimensions)) == .lateCopy, "\(column)")
    }
    let other = "app_id;version"
    #expect(
      reason(.installs, provenance("m", settlement: "s", other), provenance("n", settlement: "t", other)) == .lateCopy
    )
  }

  @Test func `after another grace period only the costs have a reason`() {
    var (before, after) = (
      provenance([.cost: "a"], settlement: "s"), provenance([.cost: "b"], settlement: "t", bytes: 2)
    )
    before.graceHours = 48
    #expect(reason(.installs, before, after) == .latePostback)
    after.graceHours = 48
    #expect(reason(.installs, before, after) == .latePostback)
    after.graceHours = 1
    for isLate in [false, true] {
      for column in [.installs, .revenue, .conflicts] as [ColumnName] {
        #expect(reason(column, isLate: isLate, before, after) == nil)
      }
    }
    #expect(reason(.cost, before, after) == .cost)
  }

  @Test func `after a request only more postbacks and the costs have a reason`() {
    var (before, after) = (provenance([.cost: "a"]), provenance([.cost: "b"], bytes: 2))
    #expect(reason(.installs, before, after) == .latePostback)
    (before.requests, after.requests) = (1, 2)
    #expect(reason(.installs, before, after) == nil)
    #expect(reason(.installs, isLate: true, before, after) == .latePostback)
    #expect(reason(.cost, before, after) == .cost)
  }

  @Test func `a summary has the provenance of its report`() throws {
    var provenance = provenance([.lookup: "l", .cost: "c"], settlement: "s", bytes: 7)
    (provenance.settings, provenance.rows, provenance.acceptedBytes) = (["dimensions=app_id"], "r", 3)
    provenance.graceHours = 48
    #expect(DailyProvenance(.object(provenance.members)) == provenance)
    #expect(DailyProvenance(.object([])) == nil)
  }
}
