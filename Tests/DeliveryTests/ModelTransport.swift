import DurableFiles
import HTTPClient
import JSON
import PostbackVerification
import Signatures

@testable import Delivery

/// A network in virtual time: each request is answered at once, or never.
final class ModelTransport: Transport {
  /// The time in milliseconds.
  var now: Int64 = 1_800_000_000_000
  /// The status of the answer to a request; nil if there is none until its timeout.
  var answer: (OutgoingRequest, ModelTransport) -> IncomingResponse
  private(set) var requests: [(request: OutgoingRequest, at: Int64)] = []
  private var waiting: [(response: IncomingResponse, at: Int64)] = []

  init(_ answer: @escaping (OutgoingRequest, ModelTransport) -> IncomingResponse) { self.answer = answer }

  func begin(_ request: OutgoingRequest) throws(TransportFailure) {
    requests.append((request, now))
    let response = answer(request, self)
    waiting.append((response, response.status == 0 ? now + request.timeout : now))
  }

  func responses(within milliseconds: Int64) throws(TransportFailure) -> [IncomingResponse] {
    if waiting.isEmpty || waiting.allSatisfy({ $0.at > now }) {
      now = min(now + max(milliseconds, 1), waiting.map(\.at).min() ?? .max)
    }
    let due = waiting.filter { $0.at <= now }
    waiting.removeAll { $0.at <= now }
    return due.map(\.response)
  }

  /// The answer with a status, which a request gets.
  static func status(_ status: Int, retryAfter: Int64 = 0) -> (OutgoingRequest, ModelTransport) -> IncomingResponse {
    { request, _ in IncomingResponse(number: request.number, status: status, retryAfter: retryAfter) }
  }
}

/// Partners with planned deliveries, a sender, and a network in virtual time.
final class DeliverySite {
  let outbox: Outbox
  let transport: ModelTransport
  let sender: Sender
  let partners: [Partner]

  init(_ partners: [Partner], _ transport: ModelTransport, outbox: Outbox? = nil) throws {
    (self.partners, self.transport) = (partners, transport)
    self.outbox = try outbox ?? Outbox.temporary()
    sender = Sender(Partners(partners), self.outbox, transport, jitter: { 0 })
  }

  static func partner(_ id: String, _ change: (inout Partner) -> Void = { _ in }) throws -> Partner {
    var partner = Partner(id: id, url: try URLTemplate("https://\(id).example/{postback_key}"))
    partner.networks = nil
    change(&partner)
    return partner
  }

  /// Plans a number of deliveries to a partner, from a number on.
  func plan(_ count: Int, to partner: String, from first: Int = 0, age: Int64 = 0) throws {
    var hash = try SHA256()
    let planned = try (first..<first + count).map { number in
      let key = PostbackKey(high: 0, low: UInt64(number))
      return PlannedDelivery(
        id: try DeliveryID(partner: partner, postback: key, kind: .install, event: nil, supersedes: nil, &hash),
        partner: partner,
        postback: key,
        kind: .install,
        event: nil,
        supersedes: nil,
        receivedAt: transport.now - age,
        dueAt: transport.now,
        refusal: nil,
        values: DeliveryValues([.postbackKey: .text(key.description), .trustLevel: .number("3")])
      )
    }
    try outbox.transaction { () throws(FileFailure) in
      for delivery in planned { try outbox.add(delivery, at: transport.now) }
    }
    sender.wake()
  }

  /// Sends for a time in milliseconds, or until nothing is pending.
  func send(for duration: Int64 = .max) throws {
    let end = duration == .max ? .max : transport.now + duration
    while transport.now < end, partners.contains(where: { outbox.counts[$0.id]?[.pending] ?? 0 > 0 }) {
      try sender.fill(at: transport.now)
      try sender.wait(at: transport.now, until: end) { transport.now }
    }
    try sender.drain { transport.now }
  }

  func count(_ partner: String, _ state: DeliveryState) -> Int64 { outbox.counts[partner]?[state] ?? 0 }

  /// The keys in the requests to a partner, in order.
  func keys(_ partner: String) -> [Int] {
    transport.requests.filter { $0.request.url.contains("//\(partner).") }.compactMap { request in
      Int(request.request.url.suffix(16), radix: 16)
    }
  }
}
