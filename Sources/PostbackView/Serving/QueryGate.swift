/// A gate that lets a few questions at a time read tables. Others wait, and too many are refused.
actor QueryGate {
  private let width: Int
  private let mostWaiting: Int
  private var running = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// A gate for that many questions at once.
  init(width: Int, mostWaiting: Int) { (self.width, self.mostWaiting) = (width, mostWaiting) }

  /// Waits for a place; returns false if too many wait.
  func enter() async -> Bool {
    if running < width {
      running += 1
      return true
    }
    guard waiting.count < mostWaiting else { return false }
    await withCheckedContinuation { waiting.append($0) }
    return true
  }

  /// Gives the place to the next one.
  func leave() {
    if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
  }
}
