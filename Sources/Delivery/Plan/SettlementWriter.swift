internal import DurableFiles
internal import Ledger
internal import PostbackVerification

/// A change of the outbox by a settlement.
enum SettlementChange {
  /// Adds a delivery, or makes one pending again that was left out.
  case add(PlannedDelivery)
  case replace(sequence: Int64, DeliveryValues)
  /// Notes the values of a delivery that was tried with others, or that there are none.
  case restate(sequence: Int64, DeliveryValues?)
  case cancel(sequence: Int64, partner: String)
  /// Counts a correction that the partner does not get.
  case count(partner: String)
  case removeAwaited(PostbackKey, partner: String)
}

/// The statements that make the changes of a settlement.
struct SettlementWriter {
  private let outbox: Outbox
  private let replace: SQLiteStatement
  private let cancel: SQLiteStatement
  private let count: SQLiteStatement
  private let removeAwaited: SQLiteStatement
  private let restate: SQLiteStatement

  init(_ outbox: Outbox) throws(FileFailure) {
    self.outbox = outbox
    removeAwaited = try outbox.awaitedRemoval()
    restate = try outbox.restatement()
    replace = try outbox.statement("UPDATE deliveries SET delivery_values = ? WHERE sequence = ?")
    cancel = try outbox.statement(
      "UPDATE deliveries SET state = 'cancelled', error = ?, next_attempt_at = NULL WHERE sequence = ?"
    )
    count = try outbox.statement(
      "INSERT INTO corrections_not_sent VALUES (?, 1) ON CONFLICT (partner) DO UPDATE SET number = number + 1"
    )
  }

  /// Makes a change, within a transaction.
  func make(_ change: SettlementChange, at now: Int64) throws(FileFailure) {
    switch change {
    case .add(let delivery): try outbox.add(delivery, at: now)
    case .replace(let sequence, let values): try replace.run(.text(values.json), .integer(sequence))
    case .restate(let sequence, let values):
      try restate.run(values.map { .text($0.json) } ?? .null, .integer(sequence))
    case .cancel(let sequence, let partner):
      try cancel.run(.text(PassingCancellation.noEvent), .integer(sequence))
      outbox.countCancelled(of: partner)
    case .count(let partner): try count.run(.text(partner))
    case .removeAwaited(let key, let partner): try removeAwaited.run(.wide(UInt128(key)), .text(partner))
    }
  }
}
