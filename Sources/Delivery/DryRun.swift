internal import HTTPClient
internal import Base
internal import Ledger
internal import JSON

extension DeliveryService {
  /// Calls `print` with each request that would be sent, as a line of JSON, without the values of configured headers. It
  /// sends nothing and changes nothing.
  package static func dryRun(_ settings: DeliverySettings, print: (String) throws -> Void) async throws {
    let lock = try lock(settings.state)
    defer { withExtendedLifetime(lock) {} }
    try settings.check()
    let outbox = try Outbox.exists(in: settings.state) ? Outbox(in: settings.state) : Outbox.temporary()
    let now = clock()
    try outbox.begin()
    defer { try? outbox.forget() }
    let planner = try Planner(settings.output, state: settings.state, outbox, settings.lookups)
    try await planner.begin(settings.partners.all)
    while !planner.isDone { try await planner.planBatch(at: now, inTransaction: true) }
    for partner in settings.partners.all where partner.isEnabled {
      let queue = PartnerQueue(partner, outbox) { 0 }
      var last: Int64 = 0
      while let page = Optional(try outbox.pending(of: partner.id, after: last, limit: 500)), !page.isEmpty {
        for delivery in page {
          let request = try queue.request(for: delivery, at: now)
          try print(line(request, of: delivery, to: partner).description)
          last = delivery.sequence
        }
      }
    }
  }

  private static func line(_ request: OutgoingRequest, of delivery: PendingDelivery, to partner: Partner) -> JSONValue {
    let headers = request.headers.map { header -> JSONValue in
      let name = header.prefix { $0 != ":" }
      return .string(partner.headers.contains(header) ? "\(name): …" : header)
    }
    return .object([
      .init("partner", .string(partner.id)), .init("delivery_id", .string(delivery.id.description)),
      .init("kind", .string(delivery.kind.rawValue)), .init("method", .string(request.isPost ? "POST" : "GET")),
      .init("url", .string(request.url)), .init("headers", .array(headers)),
      .init("body", request.body.isEmpty ? .null : .string(String(decoding: request.body, as: UTF8.self))),
    ])
  }
}
