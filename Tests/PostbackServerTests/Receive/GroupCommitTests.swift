import TestSupport
import Testing

@testable import PostbackServer

@Suite struct `The commit queue` {
  @Test(arguments: 0..<20) func `loses nothing, keeps the order, and respects its limits`(_ seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    var queue = CommitQueue<Int>(groupBytes: 100, waitingLimit: 1000)
    var (taken, refused, notified): ([Int], Set<Int>, [Int]) = ([], [], [])
    var written: [UInt8] = []
    var expected: [UInt8] = []
    func finishNext() {
      guard let group = queue.take() else { return }
      #expect(group.bytes.count <= 100 || group.waiters.count == 1)
      written += group.bytes
      notified += group.waiters
      queue.finish(group)
    }
    for number in 0..<500 {
      let lines = [UInt8](repeating: UInt8(number % 251), count: Int(random.next() % 150) + 1)
      if queue.append(lines, number) {
        taken.append(number)
        expected += lines
      } else {
        refused.insert(number)
        #expect(queue.waitingBytes + lines.count > 1000)
      }
      #expect(queue.waitingBytes <= 1000)
      if random.next() % 3 == 0 { finishNext() }
    }
    while !queue.isEmpty { finishNext() }
    #expect(notified == taken)
    #expect(written == expected)
    #expect(queue.waitingBytes == 0)
    #expect(taken.count + refused.count == 500)
  }

  @Test func `counts a group that is being written as waiting`() throws {
    var queue = CommitQueue<Int>(groupBytes: 10, waitingLimit: 10)
    let first = queue.append(Array(repeating: 1, count: 10), 1)
    let taken = queue.take()
    let group = try #require(taken)
    let second = queue.append([1], 2)
    queue.finish(group)
    let third = queue.append([1], 3)
    #expect(first && !second && third)
  }
}
