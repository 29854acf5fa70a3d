internal import DurableFiles
internal import HTTPClient
internal import JSON
internal import Signatures

/// The requests that a process would send now. It sends nothing and changes nothing: what it plans is undone.
package final class DryRun {
  private let settings: DeliverySettings
  private let lock: LockFile
  private let outbox: Outbox
  private let now = DeliveryService.clock()
  /// The partners whose requests are not read yet, with the sequence number of the last one of the first partner.
  private var partners: ArraySlice<Partner>
  private var last: Int64 = 0

  private static let pageSize = 500

  /// Locks the outbox of the output, and plans all rows.
  ///
  /// - Throws: ``DeliveryFailure``, of the kind `.locked` if another process delivers the output.
  package init(_ settings: DeliverySettings) async throws(DeliveryFailure) {
    self.settings = settings
    partners = settings.partners.all.filter(\.isEnabled)[...]
    do throws(FileFailure) {
      lock = try DeliveryService.lock(settings.state)
      try settings.check()
      outbox = try Outbox.open(settings, isTrial: true)
      try outbox.begin()
      _ = try outbox.noteFilters(of: settings.partners.all, at: now)
      if settings.replans { try outbox.rewind(settings.partners.all.map(\.id), to: settings.state) }
    } catch {
      throw .file(error)
    }
    let planner: Planner
    do throws(LibcryptoFailure) {
      planner = try Planner(settings.output, state: settings.state, outbox, settings.lookups)
    } catch {
      throw .libcrypto(error)
    }
    do throws(FileFailure) { try await planner.begin(settings.partners.all) } catch { throw .file(error) }
    while !planner.isDone { try await planner.planBatch(at: now) }
    if let settlement = SettlementCorrections.current(in: settings.output) {
      try SettlementCorrections(settings.output, outbox, settings.partners).run(settlement, at: now)
    }
  }

  deinit { try? outbox.forget() }

  /// Returns the next requests, each as a line of JSON without the values of configured headers; nil after the last ones.
  package func next() throws(DeliveryFailure) -> [String]? {
    while let partner = partners.first {
      let page = try DeliveryFailure.file { () throws(FileFailure) in
        try outbox.pending(of: partner.id, after: last, limit: Self.pageSize)
      }
      guard let end = page.last else {
        partners.removeFirst()
        last = 0
        continue
      }
      last = end.sequence
      let queue = PartnerQueue(partner, outbox) { 0 }
      var sent: [PendingDelivery] = []
      try DeliveryFailure.file { () throws(FileFailure) in
        for delivery in page where try queue.ended(delivery, now) == nil { sent.append(delivery) }
      }
      return try DeliveryFailure.libcrypto { () throws(LibcryptoFailure) in
        try sent.map { delivery throws(LibcryptoFailure) in
          Self.line(try queue.request(for: delivery, at: now), of: delivery, to: partner).description
        }
      }
    }
    return nil
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
