import Testing

@testable import FraudSignals

@Suite struct `The values of senders` {
  @Test func `count a fine value of 0 as none in one of two readings`() {
    var counts = SenderValues.Counts()
    (counts.fine[0], counts.fine[3], counts.coarse[1], counts.nulls, counts.total) = (4, 5, 2, 3, 14)
    #expect(counts.histogram(.nulls) == [11, 3] && counts.histogram(.nulls, zeroIsMissing: true) == [7, 7])
    let fine = counts.histogram(.fine, zeroIsMissing: true)
    #expect(counts.histogram(.fine)[0] == 4 && fine[0] == 7 && fine.reduce(0, +) == 12)
  }
}
