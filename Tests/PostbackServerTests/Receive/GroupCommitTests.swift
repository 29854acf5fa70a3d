import Dispatch
import DurableFiles
import Foundation
import Spool
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

  @Test func `gathers lines until they fill a page, or one of them may not wait`() {
    var queue = CommitQueue<Int>(groupBytes: 1 << 20, waitingLimit: 1 << 20)
    func add(_ count: Int, _ mayGather: Bool, _ waiter: Int) {
      let isTaken = queue.append([UInt8](repeating: 1, count: count), mayGather: mayGather, waiter)
      #expect(isTaken)
    }
    func take(gathering: Bool = true) -> [Int]? { queue.take(gathering: gathering)?.waiters }
    add(1000, true, 1)
    add(1000, true, 2)
    let early = take()
    add(3000, true, 3)
    let page = take()
    add(10, true, 4)
    let second = take()
    add(10, false, 5)
    let urgent = take()
    add(10, true, 6)
    let due = take(gathering: false)
    #expect([early, page, second, urgent, due] == [nil, [1, 2, 3], nil, [4, 5], [6]])
    #expect(queue.isEmpty)
  }
}

@Suite struct `The group commit` {
  @Test(arguments: [true, false]) func `writes what comes after a pause at once, and lets more of it share a file`(
    _ mayGather: Bool
  ) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("spool"), withIntermediateDirectories: true)
    let commits = GroupCommit(
      try SpoolWriter(folder.path("spool")),
      waitingBytes: 1 << 20,
      gathering: .seconds(600),
      metrics: ServerMetrics(),
      report: { _ in }
    )
    let isDone = DispatchSemaphore(value: 0)
    func submit(_ line: String, mayGather: Bool = true) {
      #expect(commits.submit(Array(line.utf8), mayGather: mayGather) { if $0 { isDone.signal() } })
    }
    submit("one\n")
    #expect(isDone.wait(timeout: .now() + 60) == .success)
    submit("two\n")
    submit("three\n", mayGather: mayGather)
    // What may gather waits for the end of the commit here, and anything else takes the lines before it along.
    if !mayGather { for _ in 0..<2 { #expect(isDone.wait(timeout: .now() + 60) == .success) } }
    #expect(commits.stop(within: .seconds(60)))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("spool/new")).sorted()
    let texts = try names.map { try String(contentsOfFile: folder.path("spool/new/\($0)"), encoding: .utf8) }
    #expect(texts == ["one\n", "two\nthree\n"])
  }

  @Test func `knows a spool that cannot be written before the first postback`() throws {
    struct FullDisk: DurableLineWriter {
      var synchronizationTime: Duration { .zero }
      func write(_ bytes: [UInt8]) throws(FileFailure) {
        throw .system(.io, "new", "The file cannot be written", ENOSPC)
      }
      func attempt(byteCount: Int) throws(FileFailure) { try probe(byteCount: byteCount) }
      func probe(byteCount: Int) throws(FileFailure) { try write([UInt8](repeating: 0, count: byteCount)) }
      func reach() throws(FileFailure) {}
    }
    let isFailing = DispatchSemaphore(value: 0)
    let commits = GroupCommit(FullDisk(), waitingBytes: 1 << 20, metrics: ServerMetrics()) { event in
      if case .failing = event { isFailing.signal() }
    }
    #expect(isFailing.wait(timeout: .now() + 60) == .success)
    #expect(commits.failure != nil && commits.isDiskFull)
    #expect(commits.stop(within: .seconds(60)))
  }
}
