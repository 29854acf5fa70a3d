import Testing

@testable import PostbackServer

@Suite struct `The rate limit of an address` {
  private let start = ContinuousClock.now

  private func address(_ number: Int) -> IPAddress { IPAddress(v4: UInt32(number)) }

  @Test func `allows a burst, and then a steady rate`() {
    var table = RateTable(perSecond: 2, burst: 3, capacity: 10)
    let first = (0..<5).map { _ in table.take(address(1), at: start) }
    #expect(first == [true, true, true, false, false])
    let other = table.take(address(2), at: start)
    #expect(other)
    let more = [400, 600, 700].map { table.take(address(1), at: start + .milliseconds($0)) }
    #expect(more == [false, true, false])
    // A pause saves at most one burst.
    let later = (0..<4).map { _ in table.take(address(1), at: start + .seconds(100)) }
    #expect(later == [true, true, true, false])
  }

  @Test func `of 0 allows everything`() {
    var table = RateTable(perSecond: 0, burst: 1, capacity: 1)
    let taken = (0..<1000).map { table.take(address($0 % 7), at: start) }
    #expect(taken.allSatisfy { $0 })
    #expect(table.count == 0)
  }

  @Test func `is shared by all addresses that the table has no room for`() {
    var table = RateTable(perSecond: 1, burst: 2, capacity: 100)
    let taken = (0..<200).map { table.take(address($0), at: start) }
    #expect(taken.prefix(100).allSatisfy { $0 } && taken.dropFirst(100).count { $0 } == 2)
    #expect(table.count == 100)
    // An address that has a bucket keeps it.
    let again = table.take(address(5), at: start)
    #expect(again)
    // Full buckets are removed.
    let next = table.take(address(300), at: start + .seconds(3))
    #expect(next)
    #expect(table.count == 1)
  }
}
