import Synchronization
import Testing

@testable import PostbackView

@Suite struct `The gate before the tables` {
  private final class Counts: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var most: Int { state.withLock { $0.most } }

    func enter() {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }

    func leave() { state.withLock { $0.now -= 1 } }
  }

  /// A question that is open until it is answered.
  private struct Question {
    private let answers = AsyncStream<Void>.makeStream()

    func wait() async { for await _ in answers.stream { return } }
    func answer() { answers.continuation.finish() }
  }

  @Test func `lets no more in than its width, and refuses those who would wait too long`() async {
    let gate = QueryGate(width: 2, mostWaiting: 10, mostOfUser: 100)
    let counts = Counts()
    let answered = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await gate.pass([]) {
            counts.enter()
            try? await Task.sleep(for: .milliseconds(5))
            counts.leave()
            return true
          } ?? false
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(counts.most == 2)
    #expect(answered >= 12 && answered < 50)
    #expect(await gate.pass([]) { true } == true)
  }

  @Test func `a question that is given up while it waits leaves its place to others`() async {
    let gate = QueryGate(width: 1, mostWaiting: 1, mostOfUser: 100)
    let open = Question()
    async let first: Bool? = gate.pass([1]) {
      await open.wait()
      return true
    }
    while await gate.running == 0 { await Task.yield() }
    let waiting = Task { await gate.pass([2]) { true } }
    while await gate.waitingCount == 0 { await Task.yield() }
    #expect(await gate.pass([3]) { true } == nil)
    waiting.cancel()
    #expect(await waiting.value == nil)
    let next = Task { await gate.pass([3]) { true } }
    while await gate.waitingCount == 0 { await Task.yield() }
    open.answer()
    #expect(await next.value == true)
    #expect(await first == true)
  }

  @Test func `one user does not take the places of the others`() async {
    let gate = QueryGate(width: 1, mostWaiting: 10, mostOfUser: 2)
    let open = Question()
    let own = (0..<2).map { _ in
      Task {
        await gate.pass([1]) {
          await open.wait()
          return true
        }
      }
    }
    while await gate.waitingCount == 0 { await Task.yield() }
    #expect(await gate.pass([1]) { true } == nil)
    let other = Task { await gate.pass([2]) { true } }
    while await gate.waitingCount < 2 { await Task.yield() }
    open.answer()
    #expect(await other.value == true)
    for task in own { #expect(await task.value == true) }
    #expect(await gate.pass([1]) { true } == true)
  }
}
