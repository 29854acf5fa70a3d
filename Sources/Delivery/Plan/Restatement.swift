internal import CopySettlement
internal import DerivedTables
internal import DurableFiles
internal import Glibc
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import Signatures
internal import Tables

/// Compares deliveries with `skan_settled`: values that are not sent yet are replaced by the effective ones, and values that
/// were delivered and have changed are corrected.
///
/// No request may be in flight meanwhile.
final class Restatement {
  private let output: String
  private let outbox: Outbox
  private let partners: [String: Partner]
  private var hash: SHA256
  private let find: SQLiteStatement
  private let replace: SQLiteStatement
  private let cancel: SQLiteStatement
  private let count: SQLiteStatement
  private let findAwaited: SQLiteStatement
  private let removeAwaited: SQLiteStatement

  /// A delivery that may be restated.
  private struct Known {
    let sequence: Int64
    let id: DeliveryID
    let partner: String
    let kind: DeliveryKind
    let event: String?
    let state: DeliveryState
    let isUntouched: Bool
    let receivedAt: Int64?
    let values: DeliveryValues
  }

  init(_ output: String, _ outbox: Outbox, _ partners: Partners) throws {
    (self.output, self.outbox) = (output, outbox)
    self.partners = Dictionary(partners.all.map { ($0.id, $0) }) { first, _ in first }
    hash = try SHA256()
    find = try outbox.statement(
      """
      SELECT sequence, delivery_id, partner, kind, event_name, state, attempts, received_at, delivery_values
      FROM deliveries WHERE postback_key = ? ORDER BY sequence
      """
    )
    findAwaited = try outbox.awaitedSelection()
    removeAwaited = try outbox.awaitedRemoval()
    replace = try outbox.statement("UPDATE deliveries SET delivery_values = ? WHERE sequence = ?")
    cancel = try outbox.statement(
      "UPDATE deliveries SET state = 'cancelled', error = ?, next_attempt_at = NULL WHERE sequence = ?"
    )
    count = try outbox.statement(
      """
      INSERT INTO corrections_not_sent VALUES (?, 1) ON CONFLICT (partner) DO UPDATE SET number = number + 1
      """
    )
  }

  /// A text that is another one after each settlement; nil if there was none.
  static func current(in output: String) -> String? {
    var status = stat()
    guard unsafe stat("\(output)/\(Table.settled.name)/\(DerivedTable.summaryName)", &status) == 0 else { return nil }
    return "\(status.st_ino):\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  /// The settlement that was last compared with the deliveries; nil if there is none.
  static func compared(in outbox: Outbox) throws(FileFailure) -> String? {
    try outbox.statement("SELECT settlement FROM settlements").first { $0.text(0) }
  }

  /// Compares all deliveries with the tables of the settlement.
  func run(_ settlement: String, at now: Int64) throws {
    let snapshot = try DerivedSnapshot(of: output)
    defer { withExtendedLifetime(snapshot) {} }
    guard var rows = try StoredRows(.settled, in: snapshot.folder) else { return }
    var events = try StoredRows(.settledEvents, in: snapshot.folder)
    var ahead: ArraySlice<EventRow> = []
    let keyPlace = Table.settled.place(.postbackKey)
    while let batch = try rows.next() {
      var row = RowCursor(batch, of: .settled)
      var settled: [(key: PostbackKey, values: [Macro: MacroValue], events: [EventRow])] = []
      while row.next() {
        guard let key = row.key(keyPlace) else { continue }
        var own: [EventRow] = []
        while true {
          if ahead.isEmpty {
            guard let more = try events?.next() else { break }
            ahead = EventRow.read(more, of: .settledEvents)[...]
            continue
          }
          guard ahead.first?.key == key, let event = ahead.popFirst() else { break }
          own.append(event)
        }
        settled.append((key, RowValues.settled.read(row), own))
      }
      try outbox.transaction { for one in settled { try restate(one.key, one.values, one.events, now) } }
    }
    try outbox.transaction {
      try outbox.statement("DELETE FROM settlements").run()
      try outbox.statement("INSERT INTO settlements VALUES ('', ?)").run(.text(settlement))
    }
  }

  private func restate(_ key: PostbackKey, _ values: [Macro: MacroValue], _ events: [EventRow], _ now: Int64) throws {
    let path = Outbox.name
    if !events.isEmpty { try addAwaited(key, values, events, now) }
    let known = try find.all(.wide(UInt128(key))) { row throws(FileFailure) -> Known in
      guard let values = DeliveryValues(json: row.text(8)) else { throw .damaged(path, "The values are not readable") }
      return Known(
        sequence: try row.integer(0),
        id: DeliveryID(try row.wide(1)),
        partner: row.text(2),
        kind: try row.word(3, as: DeliveryKind.self),
        event: row.isNull(4) ? nil : row.text(4),
        state: try row.word(5, as: DeliveryState.self),
        isUntouched: try row.integer(6, as: Int.self) == 0,
        receivedAt: row.isNull(7) ? nil : try row.integer(7),
        values: values
      )
    }
    for (id, deliveries) in Dictionary(grouping: known, by: \.partner) {
      guard let partner = partners[id] else { continue }
      // Of a delivery and its corrections the last one has the values that the partner has.
      var heads: [String?: Known] = [:]
      for delivery in deliveries { heads[delivery.event] = delivery }
      for head in heads.values.sorted(by: { $0.sequence < $1.sequence }) {
        let event = events.first { $0.name == head.event }
        let isGone = head.event != nil && event == nil
        var new = head.values.values
        for macro in RowValues.settledMacros { new[macro] = values[macro] }
        if head.event != nil {
          for macro in RowValues.eventMacros where macro != .eventName { new[macro] = event?.values[macro] }
          if isGone { new.merge(Self.noEvent(head.values.values[.currency])) { $1 } }
        }
        try restate(head, to: DeliveryValues(new), isGone: isGone, for: partner, key, now)
      }
      guard partner.kinds.contains(.event), let first = deliveries.first else { continue }
      for event in events where heads[event.name] == nil {
        try add(event, first.values, values, first.receivedAt, partner, key, now)
      }
    }
  }

  /// Adds the events of a postback to partners that have no delivery of it.
  private func addAwaited(
    _ key: PostbackKey,
    _ values: [Macro: MacroValue],
    _ events: [EventRow],
    _ now: Int64
  ) throws {
    let path = Outbox.name
    let found = try findAwaited.all(.wide(UInt128(key))) { row throws(FileFailure) -> AwaitedEvents in
      guard let values = DeliveryValues(json: row.text(2)) else { throw .damaged(path, "The values are not readable") }
      return AwaitedEvents(
        partner: row.text(0),
        receivedAt: row.isNull(1) ? nil : try row.integer(1),
        values: values
      )
    }
    for awaited in found {
      guard let partner = partners[awaited.partner], partner.kinds.contains(.event),
        awaited.receivedAt.map({ now - $0 <= partner.maximumAge }) ?? true,
        case .number(let trust)? = values[.trustLevel], Int64(trust) ?? 0 >= partner.minimumTrust
      else { continue }
      for event in events {
        try add(event, awaited.values, values, awaited.receivedAt, partner, key, now)
      }
      try removeAwaited.run(.wide(UInt128(key)), .text(awaited.partner))
    }
  }

  /// Adds an event with the values of its postback, and with those of the settlement in their place.
  private func add(
    _ event: EventRow,
    _ postback: DeliveryValues,
    _ values: [Macro: MacroValue],
    _ receivedAt: Int64?,
    _ partner: Partner,
    _ key: PostbackKey,
    _ now: Int64
  ) throws {
    var new = postback.values
    for (macro, value) in values { new[macro] = value }
    for macro in RowValues.eventMacros { new[macro] = event.values[macro] }
    try add(.event, event.name, nil, DeliveryValues(new), receivedAt, partner, key, now)
  }

  private static func noEvent(_ currency: MacroValue?) -> [Macro: MacroValue] {
    var values: [Macro: MacroValue] = [
      .eventCount: .number("0"), .eventCountMin: .number("0"), .eventCountMax: .number("0"),
    ]
    if let currency {
      values[.currency] = currency
      for macro in [Macro.revenue, .revenueMin, .revenueMax] { values[macro] = .number("0") }
    }
    return values
  }

  private func restate(
    _ head: Known,
    to new: DeliveryValues,
    isGone: Bool,
    for partner: Partner,
    _ key: PostbackKey,
    _ now: Int64
  ) throws {
    guard new != head.values else { return }
    switch head.state {
    case .pending where !head.isUntouched, .failed, .cancelled: return
    case .pending where isGone:
      try cancel.run(.text("the settlement has no such event"), .integer(head.sequence))
      outbox.countCancelled(of: partner.id)
    case .pending: try replace.run(.text(new.json), .integer(head.sequence))
    case .delivered:
      guard new.restated != head.values.restated else { return }
      if partner.kinds.contains(.correction) {
        try add(.correction, head.event, head.id, new, head.receivedAt, partner, key, now)
      } else {
        // The difference is counted once.
        try count.run(.text(partner.id))
        try replace.run(.text(new.json), .integer(head.sequence))
      }
    }
  }

  private func add(
    _ kind: DeliveryKind,
    _ event: String?,
    _ supersedes: DeliveryID?,
    _ values: DeliveryValues,
    _ receivedAt: Int64?,
    _ partner: Partner,
    _ key: PostbackKey,
    _ now: Int64
  ) throws {
    try outbox.add(
      PlannedDelivery(
        id: try DeliveryID(
          partner: partner.id,
          postback: key,
          kind: kind,
          event: event,
          supersedes: supersedes,
          &hash
        ),
        partner: partner.id,
        postback: key,
        kind: kind,
        event: event,
        supersedes: supersedes,
        // A correction is late by its nature.
        receivedAt: kind == .correction ? nil : receivedAt,
        dueAt: now,
        refusal: nil,
        values: values
      ),
      at: now
    )
  }
}
