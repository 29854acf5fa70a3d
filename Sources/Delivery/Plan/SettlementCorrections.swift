internal import CopySettlement
internal import DerivedTables
internal import DurableFiles
internal import Glibc
internal import Ledger
internal import PostbackVerification
internal import Signatures
internal import Tables

/// Compares deliveries with `skan_settled`: values that are not sent yet are replaced by the effective ones, and values that
/// were delivered and have changed are corrected.
///
/// No request may be in flight meanwhile.
final class SettlementCorrections {
  private let output: String
  private let outbox: Outbox
  private let partners: [String: Partner]
  private let eventsWanted: [String: Int64]
  private var hash: SHA256
  private let find: SQLiteStatement
  private let findAwaited: SQLiteStatement
  private let writer: SettlementWriter
  private let startedAt: Int64
  /// The number of postbacks by partner that a filter left out since `startedAt`, and that a settlement has added.
  private(set) var takenUp: [String: [PartnerFilter: Int64]] = [:]

  init(
    _ output: String,
    _ outbox: Outbox,
    _ partners: Partners,
    startedAt: Int64 = .max
  ) throws(DeliveryFailure) {
    (self.output, self.outbox, self.startedAt) = (output, outbox, startedAt)
    self.partners = Dictionary(partners.all.map { ($0.id, $0) }) { first, _ in first }
    do throws(LibcryptoFailure) { hash = try SHA256() } catch { throw .libcrypto(error) }
    do throws(FileFailure) {
      eventsWanted = try outbox.eventsWanted()
      find = try outbox.statement(KnownDelivery.selection)
      findAwaited = try outbox.awaitedSelection()
      writer = try SettlementWriter(outbox)
    } catch {
      throw .file(error)
    }
  }

  /// A text that is another one after each settlement; nil if there was none.
  static func current(in output: String) -> String? {
    var status = stat()
    guard unsafe stat("\(output)/\(Table.settled.name)/\(DerivedTable.summaryName)", &status) == 0 else { return nil }
    return "\(status.st_ino):\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  /// Compares all deliveries with the tables of the settlement. All of its rows must be planned for the enabled partners.
  func run(_ settlement: String, at now: Int64) throws(DeliveryFailure) {
    var postbacks = try DeliveryFailure.file { () throws(FileFailure) in try SettledPostbacks(in: output) }
    while let batch = try DeliveryFailure.file({ () throws(FileFailure) in try postbacks?.next()?.map(known) }) {
      let changes = try DeliveryFailure.libcrypto { () throws(LibcryptoFailure) in
        var changes: [SettlementChange] = []
        for one in batch { try changes.append(contentsOf: self.changes(of: one, at: now)) }
        return changes
      }
      try DeliveryFailure.file { () throws(FileFailure) in
        try outbox.transaction { () throws(FileFailure) in for change in changes { try writer.make(change, at: now) } }
      }
    }
    try DeliveryFailure.file { () throws(FileFailure) in
      try outbox.transaction { () throws(FileFailure) in
        let note = try outbox.statement("INSERT OR REPLACE INTO settlements VALUES (?, ?)")
        for partner in partners.values where partner.isEnabled { try note.run(.text(partner.id), .text(settlement)) }
      }
    }
  }

  /// Corrects the deliveries whose values a settlement has replaced while they were tried: all that have a result now.
  func correct(_ restated: [RestatedDelivery], at now: Int64) throws(DeliveryFailure) {
    let found = try DeliveryFailure.file { () throws(FileFailure) in
      try restated.map { restated throws(FileFailure) in
        (restated, try find.all(.wide(UInt128(restated.postback)), as: KnownDelivery.init))
      }
    }
    let changes = try DeliveryFailure.libcrypto { () throws(LibcryptoFailure) in
      var changes: [SettlementChange] = []
      for (restated, deliveries) in found {
        let chains = DeliveryChain.chains(of: deliveries.filter { $0.partner == restated.partner })
        guard let partner = partners[restated.partner], let chain = chains[restated.event],
          chain.head.state == .delivered
        else { continue }
        changes += try correction(of: chain, to: restated.values, in: restated.postback, for: partner, at: now)
      }
      return changes
    }
    try DeliveryFailure.file { () throws(FileFailure) in
      try outbox.transaction { () throws(FileFailure) in
        for change in changes { try writer.make(change, at: now) }
        try outbox.forgetRestated()
      }
    }
  }

  // MARK: - Reading

  /// A settled postback with its deliveries, and with the partners that await it.
  private struct KnownPostback {
    let settled: EffectivePostback
    let deliveries: [KnownDelivery]
    let awaited: [AwaitedPostback]
  }

  /// Finds what the outbox has of a postback.
  private func known(_ settled: EffectivePostback) throws(FileFailure) -> KnownPostback {
    let key = SQLiteValue.wide(UInt128(settled.key))
    return KnownPostback(
      settled: settled,
      deliveries: try find.all(key, as: KnownDelivery.init),
      awaited: try findAwaited.all(key, as: AwaitedPostback.init)
    )
  }

  // MARK: - Comparison

  private func changes(of postback: KnownPostback, at now: Int64) throws(LibcryptoFailure) -> [SettlementChange] {
    let settled = postback.settled
    var changes: [SettlementChange] = []
    for awaited in postback.awaited { changes += try additions(of: awaited, in: postback, at: now) }
    for (id, deliveries) in Dictionary(grouping: postback.deliveries, by: \.partner).sorted(by: { $0.key < $1.key }) {
      guard let partner = partners[id], let first = deliveries.first, first.values.values.exclusion(by: partner) == nil
      else { continue }
      let chains = DeliveryChain.chains(of: deliveries)
      for chain in chains.values.sorted(by: { $0.head.sequence < $1.head.sequence }) {
        changes += try self.changes(of: chain, by: settled, for: partner, at: now)
      }
      let values = settled.values(replacing: first.values, event: nil, isGone: false).values
      let isBegun = partner.kinds.contains(.correction) && deliveries.contains(where: \.isBegun)
      guard isBegun || values.omission(by: partner) == nil else { continue }
      if let one = deliveries.first(where: { $0.isLeftOut && $0.event == nil && !$0.isCorrection }) {
        changes += try addition(of: one.values, settled, to: partner, one.receivedAt, at: now)
      }
      guard partner.kinds.contains(.event), first.plannedAt >= eventsWanted[id] ?? .min else { continue }
      // Without the correction of an event that was sent, what has come in its place would be counted besides it. The missing
      // correction is counted above, and once.
      let isHalf =
        !partner.kinds.contains(.correction) && chains.values.contains { $0.head.isSentOtherwise(than: settled) }
      for event in settled.events where chains[event.name] == nil {
        let values = settled.values(of: event, in: first.values)
        let refusal = isHalf ? "the partner does not want corrections" : nil
        changes.append(
          try addition(event.name, values, of: settled.key, to: partner, first.receivedAt, refusal: refusal, at: now)
        )
      }
    }
    return changes
  }

  /// The deliveries of a postback that a partner awaits, if the settlement has values for which the partner takes it.
  private func additions(
    of awaited: AwaitedPostback,
    in postback: KnownPostback,
    at now: Int64
  ) throws(LibcryptoFailure) -> [SettlementChange] {
    let (settled, first) = (postback.settled, awaited.values.values)
    guard let partner = partners[awaited.partner], first.exclusion(by: partner) == nil,
      awaited.receivedAt.map({ now - $0 <= partner.maximumAge }) ?? true,
      settled.values(replacing: awaited.values, event: nil, isGone: false).values.omission(by: partner) == nil
    else { return [] }
    var changes: [SettlementChange] = []
    if awaited.kind.map({ $0 != .event }) ?? (first.omission(by: partner) != nil) {
      changes += try addition(of: awaited.values, settled, to: partner, awaited.receivedAt, at: now)
    }
    // With other deliveries, those of events are compared with these.
    if partner.kinds.contains(.event), first.hasWon, awaited.plannedAt >= eventsWanted[partner.id] ?? .min,
      !postback.deliveries.contains(where: { $0.partner == partner.id })
    {
      for event in settled.events {
        let values = settled.values(of: event, in: awaited.values)
        changes.append(try addition(event.name, values, of: settled.key, to: partner, awaited.receivedAt, at: now))
      }
    }
    guard !changes.isEmpty else { return [] }
    if let filter = first.omission(by: partner), awaited.plannedAt >= startedAt {
      takenUp[partner.id, default: [:]][filter, default: 0] += 1
    }
    return changes + [.removeAwaited(settled.key, partner: partner.id)]
  }

  /// The addition of a postback itself that was left out, if the partner takes its kind.
  private func addition(
    of first: DeliveryValues,
    _ settled: EffectivePostback,
    to partner: Partner,
    _ receivedAt: Int64?,
    at now: Int64
  ) throws(LibcryptoFailure) -> [SettlementChange] {
    guard partner.kinds.contains(first.values.deliveryKind) else { return [] }
    let values = settled.values(replacing: first, event: nil, isGone: false)
    return [try addition(nil, values, of: settled.key, to: partner, receivedAt, at: now)]
  }

  /// The changes of a delivery: new values as long as it was not tried, and else a correction.
  private func changes(
    of chain: DeliveryChain,
    by settled: EffectivePostback,
    for partner: Partner,
    at now: Int64
  ) throws(LibcryptoFailure) -> [SettlementChange] {
    let head = chain.head
    let event = settled.events.first { $0.name == head.event }
    let isGone = head.event != nil && event == nil
    let new = settled.values(replacing: head.values, event: event, isGone: isGone)
    if head.state == .pending, !head.isUntouched {
      return [.restate(sequence: head.sequence, new.restated == head.values.restated ? nil : new)]
    }
    guard new != head.values else { return [] }
    switch head.state {
    case .failed, .cancelled: return []
    case .pending where isGone && !head.isCorrection: return [.cancel(sequence: head.sequence, partner: partner.id)]
    case .pending: return [.replace(sequence: head.sequence, new)]
    case .delivered: return try correction(of: chain, to: new, in: settled.key, for: partner, at: now)
    }
  }

  /// The changes of a delivery that the partner has confirmed.
  private func correction(
    of chain: DeliveryChain,
    to new: DeliveryValues,
    in postback: PostbackKey,
    for partner: Partner,
    at now: Int64
  ) throws(LibcryptoFailure) -> [SettlementChange] {
    let head = chain.head
    // A correction that has failed is not sent once more, unless it has other values.
    guard new.restated != head.values.restated, new.restated != chain.last.values.restated else { return [] }
    guard partner.kinds.contains(.correction) else {
      // The difference is counted once.
      return [.count(partner: partner.id), .replace(sequence: head.sequence, new)]
    }
    // A correction is late by its nature, so that it has no time of receipt.
    return [try addition(head.event, new, of: postback, to: partner, nil, correcting: chain, at: now)]
  }

  /// The addition of a postback itself, of an event of it, or of the correction of a delivery.
  private func addition(
    _ event: String?,
    _ values: DeliveryValues,
    of postback: PostbackKey,
    to partner: Partner,
    _ receivedAt: Int64?,
    correcting chain: DeliveryChain? = nil,
    refusal: String? = nil,
    at now: Int64
  ) throws(LibcryptoFailure) -> SettlementChange {
    let kind = chain != nil ? .correction : event == nil ? values.values.deliveryKind : .event
    return .add(
      PlannedDelivery(
        id: try DeliveryID(
          partner: partner.id,
          postback: postback,
          kind: kind,
          event: event,
          supersedes: chain?.last.id,
          &hash
        ),
        partner: partner.id,
        postback: postback,
        kind: kind,
        event: event,
        supersedes: chain?.head.id,
        receivedAt: receivedAt,
        dueAt: chain == nil ? max(now, partner.firstAttempt(of: receivedAt, at: now)) : now,
        refusal: refusal,
        values: values
      )
    )
  }
}

extension Outbox {
  /// Returns the settlement that the deliveries of a partner were last compared with, by the id of the partner; an empty text where
  /// its rows were planned anew since.
  func comparedSettlements() throws(FileFailure) -> [String: String] {
    let pairs = try statement("SELECT partner, settlement FROM settlements").all { ($0.text(0), $0.text(1)) }
    return Dictionary(pairs) { first, _ in first }
  }
}
