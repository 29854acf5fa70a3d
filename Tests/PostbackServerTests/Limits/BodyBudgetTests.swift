import Testing

@testable import PostbackServer

@Suite struct `A body budget` {
  private let budget = BodyBudget(1600)

  private func share(_ sender: BodySender, _ address: UInt32, longestBody: Int = 10) -> BodyShare {
    BodyShare(sender, IPAddress(v4: address), longestBody: longestBody)
  }

  @Test func `is divided among addresses and kinds of senders`() {
    var first = share(.anybody, 1)
    var second = share(.anybody, 1)
    #expect(budget.take(20, for: &first) && budget.take(5, for: &second) && !budget.take(1, for: &second))
    var other = share(.anybody, 2)
    #expect(budget.take(25, for: &other) && !budget.take(1, for: &other))
    budget.release(&first)
    #expect(budget.take(20, for: &second) && !budget.take(1, for: &second))
    // All devices together have a quarter, regardless of other senders.
    var shares = (3..<100).map { share(.anybody, UInt32($0)) }
    let taken = shares.indices.count { budget.take(25, for: &shares[$0]) }
    #expect(taken == 14)
    var unconfirmed = (0..<9).map { share(.unconfirmed, UInt32($0)) }
    #expect(unconfirmed.indices.count { budget.take(100, for: &unconfirmed[$0]) } == 4)
    var known = (0..<9).map { share(.forwarder, UInt32($0)) }
    #expect(known.indices.count { budget.take(400, for: &known[$0]) } == 2)
    budget.release(&known[0])
    budget.release(&known[0])
    #expect(budget.take(400, for: &known[5]) && !budget.take(1, for: &known[6]))
  }

  @Test func `has room for at least one longest body`() {
    var long = share(.unconfirmed, 1, longestBody: 5000)
    #expect(budget.take(5000, for: &long) && !budget.take(1, for: &long))
  }

  @Test func `holds an answer in place of its body until it is read`() {
    let budget = BodyBudget(1)
    let client = IPAddress(v4: 1)
    let route = Route("r", "POST", "/", longestBody: 100, action: .answer { _ in HTTPResponse(200) })
    func append(_ count: Int, to state: inout RequestState) {
      state.begin("/")
      state.request(HTTPRequest(method: "POST", target: "/", client: client), route, nil)
      let bytes = [UInt8](repeating: 0, count: count)
      unsafe bytes.withUnsafeBufferPointer { unsafe state.append($0, within: budget) }
    }
    var state = RequestState()
    append(60, to: &state)
    #expect(state.suspend() && state.reserve(90, within: budget))
    _ = state.answer(nil, nil, within: budget)
    var other = RequestState()
    append(20, to: &other)
    #expect(other.response?.status == 503)
    let times = [0, 2].map { SteadyTime.now + .seconds($0) }
    let isUnread = times.map { state.isUnread(at: $0, after: 1, stalledFor: 9) }
    #expect(isUnread == [false, true])
    _ = state.end(within: budget)
    var next = RequestState()
    append(100, to: &next)
    #expect(next.response == nil && next.suspend() && !next.reserve(101, within: budget))
    _ = next.answer(nil, nil, within: budget)
    append(100, to: &other)
    #expect(other.response == nil)
  }

  @Test func `lets a large answer be read slowly, and ends one that is not read on`() {
    var state = RequestState()
    state.begin("/")
    let request = HTTPRequest(method: "GET", target: "/", client: IPAddress(v4: 1))
    state.request(request, Route("r", "GET", "/", action: .answer { _ in HTTPResponse(200) }), nil)
    let body = LargeBody([UInt8](repeating: 0, count: 100_000))
    _ = state.answer(body, nil, within: budget)
    var piece = [UInt8](repeating: 0, count: 1000)
    let start = SteadyTime.now
    for second in 0..<100 {
      if second % 8 == 0 { unsafe piece.withUnsafeMutableBufferPointer { _ = unsafe body.copy(from: second, to: $0) } }
      let isUnread = state.isUnread(at: start + .seconds(second), after: 60, stalledFor: 10)
      #expect(!isUnread)
    }
    let isUnread = [105, 106].map { state.isUnread(at: start + .seconds($0), after: 60, stalledFor: 10) }
    #expect(isUnread == [false, true])
  }

  @Test func `counts the addresses of one IPv6 network as one`() throws {
    func share(_ address: String) throws -> BodyShare {
      BodyShare(.unconfirmed, try #require(IPAddress(address)), longestBody: 1)
    }
    var (first, second, other) = (try share("2001:db8::1"), try share("2001:db8::2"), try share("2001:db8:1::1"))
    #expect(budget.take(100, for: &first) && !budget.take(1, for: &second) && budget.take(100, for: &other))
  }
}
