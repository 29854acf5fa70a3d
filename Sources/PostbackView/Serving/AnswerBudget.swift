internal import PostbackServer
internal import Synchronization

/// The memory for answers that clients have not read yet, divided so that no user can take all of it.
final class AnswerBudget: Sendable {
  /// The room of an answer, which is returned when the client has the answer or is gone.
  private final class Share: Sendable {
    private let budget: AnswerBudget
    private let user: [UInt8]
    private let count: Int

    init(_ budget: AnswerBudget, _ user: [UInt8], _ count: Int) {
      (self.budget, self.user, self.count) = (budget, user, count)
    }

    deinit { budget.giveBack(count, of: user) }
  }

  private struct Use {
    var all = 0
    var byUser: [[UInt8]: Int] = [:]
  }

  private let bytes: Int
  private let use = Mutex(Use())

  /// A budget of so many bytes, half of which one user may take.
  init(bytes: Int = 64 << 20) { self.bytes = bytes }

  /// Returns an answer that holds its share until the client has it, or a refusal if there is no room. An answer alone always has room.
  func admit(_ answer: HTTPResponse, of user: [UInt8]) -> HTTPResponse {
    let count = answer.body.count
    let isTaken = use.withLock { use in
      let (all, own) = (use.all + count, use.byUser[user, default: 0] + count)
      guard all <= bytes && own <= bytes / 2 || use.all == 0 else { return false }
      (use.all, use.byUser[user]) = (all, own)
      return true
    }
    guard isTaken else {
      return .view(503, "Too many answers wait to be read. Read them, and ask again.").retry(afterSeconds: 5)
    }
    return answer.keeping(Share(self, user, count))
  }

  private func giveBack(_ count: Int, of user: [UInt8]) {
    use.withLock { use in
      use.all -= count
      let left = use.byUser[user, default: 0] - count
      use.byUser[user] = left > 0 ? left : nil
    }
  }
}
