/// A gate that lets a few questions at a time read tables. Others wait, in their order; of too many, and of too many of one
/// user, the last ones are refused.
actor QueryGate {
  /// A question that waits.
  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let width: Int
  private let mostWaiting: Int
  private let mostOfUser: Int
  /// The number of questions that are asked.
  private(set) var running = 0
  private var waiting: [Waiter] = []
  /// The number of questions that run or wait, by user.
  private var byUser: [[UInt8]: Int] = [:]
  private var lastNumber = 0

  /// The number of questions that wait for their turn.
  var waitingCount: Int { waiting.count }

  /// A gate for `width` questions at once, while `mostWaiting` wait. One user has at most `mostOfUser` that run or wait.
  init(width: Int, mostWaiting: Int, mostOfUser: Int) {
    (self.width, self.mostWaiting, self.mostOfUser) = (width, mostWaiting, mostOfUser)
  }

  /// Asks a question of a user when it is its turn. Returns nil, without asking, if too many wait or the task is cancelled
  /// before that.
  func pass<Answer: Sendable, Failure: Error>(
    _ user: [UInt8],
    _ question: @Sendable () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer? {
    guard byUser[user, default: 0] < mostOfUser, running < width || waiting.count < mostWaiting else { return nil }
    byUser[user, default: 0] += 1
    defer { byUser[user] = byUser[user].flatMap { $0 > 1 ? $0 - 1 : nil } }
    guard await hasTurn() else { return nil }
    defer { leave() }
    return Task.isCancelled ? nil : try await question()
  }

  /// Waits for a turn; returns false if the task is cancelled before that.
  private func hasTurn() async -> Bool {
    if running < width {
      running += 1
      return true
    }
    lastNumber += 1
    let number = lastNumber
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting.append(Waiter(number: number, continuation: $0)) }
    } onCancel: {
      Task { await giveUp(number) }
    }
  }

  private func giveUp(_ number: Int) {
    guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: place).continuation.resume(returning: false)
  }

  /// Gives the turn to the next one.
  private func leave() {
    if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().continuation.resume(returning: true) }
  }
}
