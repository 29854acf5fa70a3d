import Glibc
import Testing

@testable import PostbackServer

@Suite struct `A server that stops` {
  @Test(arguments: [true, false]) func `leaves the socket to its owner`(_ isQuiet: Bool) throws {
    let socket = try ListeningSocket(ListenAddress(host: "127.0.0.1", port: 0))
    let server = HTTPServer(socket, Router([]))
    try server.start()
    if isQuiet { server.quiesce() }
    server.stop()
    var kind: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    #expect(unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0)
    #expect(kind == Int32(SOCK_STREAM.rawValue))
  }
}

@Suite struct `The budget of bodies` {
  private let budget = BodyBudget(1600)

  private func room(_ sender: BodySender, _ address: UInt32, longestBody: Int = 10) -> BodyRoom {
    BodyRoom(sender, IPAddress(v4: address), longestBody: longestBody)
  }

  @Test func `is shared out among addresses and kinds of senders`() {
    var first = room(.anybody, 1)
    var second = room(.anybody, 1)
    #expect(budget.take(20, for: &first) && budget.take(5, for: &second) && !budget.take(1, for: &second))
    var other = room(.anybody, 2)
    #expect(budget.take(25, for: &other) && !budget.take(1, for: &other))
    budget.release(&first)
    #expect(budget.take(20, for: &second) && !budget.take(1, for: &second))
    // All devices together have a quarter, whoever else has what.
    var rooms = (3..<100).map { room(.anybody, UInt32($0)) }
    let taken = rooms.indices.count { budget.take(25, for: &rooms[$0]) }
    #expect(taken == 14)
    var unconfirmed = (0..<9).map { room(.unconfirmed, UInt32($0)) }
    #expect(unconfirmed.indices.count { budget.take(100, for: &unconfirmed[$0]) } == 4)
    var known = (0..<9).map { room(.forwarder, UInt32($0)) }
    #expect(known.indices.count { budget.take(400, for: &known[$0]) } == 2)
    budget.release(&known[0])
    budget.release(&known[0])
    #expect(budget.take(400, for: &known[5]) && !budget.take(1, for: &known[6]))
  }

  @Test func `has room for one longest body at the least`() {
    var long = room(.unconfirmed, 1, longestBody: 5000)
    #expect(budget.take(5000, for: &long) && !budget.take(1, for: &long))
  }

  @Test func `counts what a provider gives one customer as one address`() throws {
    func room(_ address: String) throws -> BodyRoom {
      BodyRoom(.unconfirmed, try #require(IPAddress(address)), longestBody: 1)
    }
    var (first, second, other) = (try room("2001:db8::1"), try room("2001:db8::2"), try room("2001:db8:1::1"))
    #expect(budget.take(100, for: &first) && !budget.take(1, for: &second) && budget.take(100, for: &other))
  }
}
