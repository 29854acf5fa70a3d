internal import JSON
internal import PostbackServer
internal import Synchronization

/// The news that pages wait for: a commit, a generation of derived tables, new sections.
///
/// An answer is short: it is held back until there is news, and then ends, and the browser asks again with the id of the last news.
/// So no thread and no buffer belongs to a page that waits, and one that does not read its answer is cut like any other client.
final class ViewEvents: Sendable {
  /// The kinds of news.
  enum Kind: String, CaseIterable {
    case commit, generation, report
  }

  private struct Waiting {
    let reply: HTTPReply
    let since: ContinuousClock.Instant
    let id: String
    let session: ViewSession
  }

  private struct State {
    var numbers = [Kind: Int]()
    var data = [Kind: JSONValue]()
    var waiting: [Waiting] = []
    var isClosed = false

    /// Removes the wait that ends for a further one of a session; nil if there is room for both.
    mutating func takeExcess(of session: ViewSession) -> Waiting? {
      let own = waiting.indices.filter { waiting[$0].session.id == session.id }
      if let first = own.first, own.count >= ViewEvents.mostOfSession { return waiting.remove(at: first) }
      let ofUser = waiting.indices.filter { waiting[$0].session.user == session.user }
      if let first = ofUser.first, ofUser.count >= ViewEvents.mostOfUser { return waiting.remove(at: first) }
      return nil
    }
  }

  private let state = Mutex(State())
  /// A random text that tells the numbers of this process from those of others.
  private let line = String(UInt32.random(in: 0...UInt32.max), radix: 16)
  private static let mostWaiting = 500
  /// The numbers of answers of one session and of one user that are held back; the oldest one ends for a further one, so that its owner
  /// takes the place of nobody else.
  private static let (mostOfSession, mostOfUser) = (50, 100)
  /// The time after which an answer without news is sent.
  private static let patience = Duration.seconds(20)

  /// Tells everybody of news.
  func tell(_ kind: Kind, _ data: JSONValue) {
    let (waiting, current) = state.withLock { state in
      state.numbers[kind, default: 0] += 1
      state.data[kind] = data
      defer { state.waiting = [] }
      return (state.waiting, state)
    }
    for one in waiting { one.reply.send(answer(to: one.id, current)) }
  }

  /// Answers when there is news that a client does not have.
  func wait(_ id: String, _ session: ViewSession, _ reply: HTTPReply) {
    var ended: Waiting?
    let answer: HTTPResponse? = state.withLock { state in
      if state.isClosed { return .view(503, "The server ends.") }
      if id != self.id(state) { return self.answer(to: id, state) }
      ended = state.takeExcess(of: session)
      guard state.waiting.count < Self.mostWaiting else {
        return HTTPResponse.view(503, "Too many pages wait for news.").retry(afterSeconds: 10)
      }
      state.waiting.append(Waiting(reply: reply, since: .now, id: id, session: session))
      return nil
    }
    ended?.reply.send(Self.stream("retry: 5000\n: too many pages of this user wait\n\n"))
    if let answer { reply.send(answer) }
  }

  /// Answers those who have waited for long, without news.
  func answerPatient() {
    let limit = ContinuousClock.now - Self.patience
    let patient = state.withLock { state in
      let patient = state.waiting.filter { $0.since < limit }
      state.waiting.removeAll { $0.since < limit }
      return patient
    }
    for one in patient { one.reply.send(Self.stream("retry: 500\n: nothing new\n\n")) }
  }

  /// Answers everybody, so that the server can stop.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.reply.send(Self.stream("retry: 2000\n: the server ends\n\n")) }
  }

  private func id(_ state: State) -> String {
    ([line] + Kind.allCases.map { "\(state.numbers[$0] ?? 0)" }).joined(separator: ".")
  }

  private func answer(to id: String, _ state: State) -> HTTPResponse {
    let words = id.split(separator: ".").map(String.init)
    let isOfLine = words.count == Kind.allCases.count + 1 && words[0] == line
    var text = "retry: 500\n"
    for (index, kind) in Kind.allCases.enumerated() {
      guard let data = state.data[kind], !isOfLine || words[index + 1] != "\(state.numbers[kind] ?? 0)" else {
        continue
      }
      text += "id: \(self.id(state))\nevent: \(kind.rawValue)\ndata: \(data)\n\n"
    }
    return Self.stream(text.hasSuffix("\n\n") ? text : "\(text)id: \(self.id(state))\ndata:\n\n")
  }

  private static func stream(_ text: String) -> HTTPResponse { .text("text/event-stream", Array(text.utf8)) }
}
