internal import Base
internal import JSON
internal import LookupTables
internal import PostbackVerification
internal import Signatures
internal import Tables

/// An accepted postback with its events, as deliveries are planned from it.
struct AcceptedPostback: Sendable {
  let key: PostbackKey
  let receivedAt: Int64?
  private(set) var values: [TemplatePlaceholder: PlaceholderValue]
  private let environment: String
  private let hasWon: Bool
  var events: [EventRow] = []

  /// Reads the current row of `skan_postbacks`; nil if it has no key.
  init?(_ row: borrowing RowCursor, _ columns: AcceptedColumns, _ lookups: Lookups) {
    guard let key = row.key(columns.key) else { return nil }
    self.key = key
    receivedAt = row.time(columns.receivedAt)
    values = RowValues.postbacks.read(row)
    let id = row.text(columns.network) ?? ""
    environment = row.text(columns.environment) ?? ""
    hasWon = values.hasWon
    // Only the copies of a postback together tell more: that is what settle is for.
    let trust = row.text(columns.channel) == "apple_direct" ? 3 : row.text(columns.forwarder) == nil ? 1 : 2
    values[.trustLevel] = .number("\(trust)")
    values[.networkName] = .text(lookups.networks.network(id, at: receivedAt)?.name ?? id.lowercased())
  }

  /// The kind of the delivery of the postback itself.
  private var kind: DeliveryKind { values.deliveryKind }

  /// The filter by which a partner never receives the postback, whatever its values are; nil if there is none.
  private func exclusion(by partner: Partner) -> PartnerFilter? {
    partner.environments.contains(environment) ? values.exclusion(by: partner) : .environments
  }

  /// The filter by which a partner receives neither the postback nor its events, unless a settlement gives it other values; nil
  /// if there is none.
  func omission(by partner: Partner) -> PartnerFilter? {
    exclusion(by: partner) ?? values.omission(by: partner) ?? (isWanted(by: partner) ? nil : .send)
  }

  /// Indicates that a partner takes the postback itself or its events.
  private func isWanted(by partner: Partner) -> Bool {
    partner.kinds.contains(kind) || hasWon && partner.kinds.contains(.event)
  }

  /// The deliveries of the postback to a partner.
  func deliveries(to partner: Partner, at now: Int64, _ hash: inout SHA256) throws(LibcryptoFailure)
    -> [PlannedDelivery]
  {
    guard omission(by: partner) == nil else { return [] }
    var planned: [PlannedDelivery] = []
    if partner.kinds.contains(kind) { planned.append(try delivery(kind, nil, to: partner, now, &hash)) }
    guard partner.kinds.contains(.event), hasWon else { return planned }
    for event in events { planned.append(try delivery(.event, event, to: partner, now, &hash)) }
    return planned
  }

  /// Returns the values of the postback for a partner to which it has no delivery now, though a settlement may add some: the
  /// postback itself, whose kind they have then, and events. Nil if the partner will not receive them.
  func awaited(by partner: Partner, at now: Int64, _ hash: inout SHA256) throws(LibcryptoFailure) -> PlannedDelivery? {
    guard exclusion(by: partner) == nil, isWanted(by: partner) else { return nil }
    let delivery = try delivery(partner.kinds.contains(kind) ? kind : .event, nil, to: partner, now, &hash)
    return delivery.refusal == nil ? delivery : nil
  }

  private func delivery(
    _ kind: DeliveryKind,
    _ event: EventRow?,
    to partner: Partner,
    _ now: Int64,
    _ hash: inout SHA256
  ) throws(LibcryptoFailure) -> PlannedDelivery {
    var values = values
    if let event {
      for macro in RowValues.eventMacros { values[macro] = event.values[macro] }
    }
    var refusal: String?
    if partner.usesRawBody {
      if let raw = values[.raw] {
        values.addRawBody(raw.written(.words))
      } else {
        refusal = "the body of the postback was not kept"
      }
    } else {
      values[.raw] = nil
    }
    if let receivedAt, now - receivedAt > partner.maximumAge { refusal = PlannedDelivery.tooOld }
    return PlannedDelivery(
      id: try DeliveryID(
        partner: partner.id,
        postback: key,
        kind: kind,
        event: event?.name,
        supersedes: nil,
        &hash
      ),
      partner: partner.id,
      postback: key,
      kind: kind,
      event: event?.name,
      supersedes: nil,
      receivedAt: receivedAt,
      dueAt: partner.firstAttempt(of: receivedAt, at: now),
      refusal: refusal,
      values: DeliveryValues(values)
    )
  }
}

extension PlannedDelivery {
  /// The reason for which old postbacks are not sent.
  static let tooOld = "the postback is older than max_age_s"
}

extension [TemplatePlaceholder: PlaceholderValue] {
  /// Adds the values that are made of the body of the postback.
  fileprivate mutating func addRawBody(_ raw: String) {
    self[.rawBase64] = .text(String(decoding: Base64.standard.encode(raw.utf8), as: UTF8.self))
    guard let body = try? JSONValue(parsing: Array(raw.utf8)) else { return }
    for key in ["attribution-signature", "jws-string"] {
      if let text = body[key]?.text { self[.attributionSignature] = .text(text) }
    }
  }
}

/// The columns of `skan_postbacks` that decide about deliveries.
struct AcceptedColumns: Sendable {
  let key = Table.postbacks.place(.postbackKey)
  let receivedAt = Table.postbacks.place(.receivedAt)
  let network = Table.postbacks.place(.adNetworkID)
  let environment = Table.postbacks.place(.environment)
  let channel = Table.postbacks.place(.channel)
  let forwarder = Table.postbacks.place(.forwarder)
}
