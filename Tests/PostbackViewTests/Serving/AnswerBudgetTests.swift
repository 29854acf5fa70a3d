import PostbackServer
import Testing

@testable import PostbackView

@Suite struct `The memory for answers that wait to be read` {
  private let answer = HTTPResponse(200, body: [UInt8](repeating: 0, count: 30))
  private let anna: [UInt8] = [1]
  private let agency: [UInt8] = [2]

  @Test func `is half of one user, and a whole of all`() {
    let budget = AnswerBudget(bytes: 100)
    let first = budget.admit(answer, of: anna)
    let second = budget.admit(answer, of: anna)
    #expect([first, second].map(\.status) == [200, 503])
    #expect(second.headers.contains(.init("Retry-After", "5")))
    let others = [budget.admit(answer, of: agency), budget.admit(answer, of: [3]), budget.admit(answer, of: [4])]
    #expect(others.map(\.status) == [200, 200, 503])
    withExtendedLifetime((first, others)) {}
  }

  @Test func `is given back with the answer`() {
    let budget = AnswerBudget(bytes: 100)
    for _ in 0..<10 { #expect(budget.admit(answer, of: anna).status == 200) }
  }

  @Test func `has room for an answer of any size alone`() {
    let budget = AnswerBudget(bytes: 10)
    let first = budget.admit(answer, of: anna)
    #expect(first.status == 200 && budget.admit(answer, of: agency).status == 503)
    withExtendedLifetime(first) {}
  }
}
