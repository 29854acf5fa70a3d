internal import DurableFiles
internal import Ledger

/// A delivery in the outbox that a settlement may restate.
struct KnownDelivery {
  let sequence: Int64
  let id: DeliveryID
  let partner: String
  let event: String?
  /// Indicates a delivery that supersedes another one.
  let isCorrection: Bool
  let state: DeliveryState
  let isUntouched: Bool
  /// Indicates that it was never sent, because the last settlement did not have its event, because of a filter of values, or, for a
  /// partner whose rows were planned anew since the last comparison, because of any other reason that may end.
  let isLeftOut: Bool
  let receivedAt: Int64?
  let plannedAt: Int64
  let values: DeliveryValues

  /// The statement that finds the deliveries of a postback, in the order of acceptance.
  static let selection = """
    SELECT sequence, delivery_id, partner, event_name, supersedes IS NOT NULL, state, attempts = 0,
      state = 'cancelled' AND attempts = 0 AND ifnull(\(PassingCancellation.endsBySettlement)
        OR \(PassingCancellation.endsByReplanning) AND partner IN (\(PassingCancellation.replanned)), 0),
      received_at, planned_at, delivery_values
    FROM deliveries WHERE postback_key = ? ORDER BY sequence
    """

  /// Reads the current row of `selection`.
  init(_ row: SQLiteStatement) throws(FileFailure) {
    sequence = try row.integer(0)
    id = DeliveryID(try row.wide(1))
    partner = row.text(2)
    event = row.isNull(3) ? nil : row.text(3)
    isCorrection = try row.integer(4, as: Int.self) == 1
    state = try row.word(5, as: DeliveryState.self)
    isUntouched = try row.integer(6, as: Int.self) == 1
    isLeftOut = try row.integer(7, as: Int.self) == 1
    receivedAt = row.isNull(8) ? nil : try row.integer(8)
    plannedAt = try row.integer(9)
    values = try DeliveryValues(row.text(10), in: Outbox.name)
  }

  /// Indicates that the partner has it, or may have it.
  var isBegun: Bool { !isUntouched && (state == .delivered || state == .pending) }

  /// Indicates that it is an event which was sent, and which the settlement does not have, or has with other values.
  func isSentOtherwise(than settled: EffectivePostback) -> Bool {
    guard let name = event, !isUntouched else { return false }
    guard let event = settled.events.first(where: { $0.name == name }) else { return true }
    return RowValues.eventMacros.contains { event.values[$0] != values.values[$0] }
  }
}

/// A delivery with its corrections.
struct DeliveryChain {
  /// The last one whose values the partner has, or will have.
  private(set) var head: KnownDelivery
  /// The last one, which may be a correction that has failed.
  private(set) var last: KnownDelivery

  /// The deliveries to one partner, by event; those that are left out count as not there.
  static func chains(of deliveries: [KnownDelivery]) -> [String?: DeliveryChain] {
    var chains: [String?: DeliveryChain] = [:]
    for delivery in deliveries where !delivery.isLeftOut {
      chains[delivery.event, default: DeliveryChain(head: delivery, last: delivery)].append(delivery)
    }
    return chains
  }

  private mutating func append(_ delivery: KnownDelivery) {
    last = delivery
    if !delivery.isCorrection || delivery.state == .delivered || delivery.state == .pending { head = delivery }
  }
}
