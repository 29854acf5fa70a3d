import Synchronization
import Testing

@testable import PostbackView

@Suite struct `The gate before the tables` {
  private final class Counts: Sendable {
    private let state = Mutex((now: 0, most: 0, refused: 0))

    var most: Int { state.withLock { $0.most } }
    var refused: Int { state.withLock { $0.refused } }

    func enter() {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }

    func leave() { state.withLock { $0.now -= 1 } }
    func refuse() { state.withLock { $0.refused += 1 } }
  }

  @Test func `lets no more in than its width, and refuses those who would wait too long`() async {
    let gate = QueryGate(width: 2, mostWaiting: 10)
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          guard await gate.enter() else { return counts.refuse() }
          counts.enter()
          try? await Task.sleep(for: .milliseconds(5))
          counts.leave()
          await gate.leave()
        }
      }
    }
    #expect(counts.most == 2)
    #expect(counts.refused > 0 && counts.refused < 50)
    #expect(await gate.enter())
  }
}
