internal import DurableFiles
internal import Ledger
internal import PostbackVerification

/// A row of a table of events.
struct EventRow: Sendable {
  let key: PostbackKey
  let name: String
  let values: [TemplatePlaceholder: PlaceholderValue]
}

/// The events whose postbacks are being planned, in a temporary table of the outbox, which does not outlive the process.
struct StagedEvents {
  /// The number that tells these events from those of other partners.
  private let number: Int64
  private let outbox: Outbox
  private var count: Int64 = 0

  static let schema = """
    PRAGMA temp.cache_size = -8000;
    CREATE TEMP TABLE staged_events (
      staging INTEGER, postback_key BLOB, number INTEGER, event_name TEXT NOT NULL, event_values TEXT NOT NULL,
      PRIMARY KEY (staging, postback_key, number)) WITHOUT ROWID
    """
  static let insertion = "INSERT INTO staged_events VALUES (?, ?, ?, ?, ?)"
  static let selection =
    "SELECT event_name, event_values FROM staged_events WHERE staging = ? AND postback_key = ? ORDER BY number"

  init(number: Int64, _ outbox: Outbox) { (self.number, self.outbox) = (number, outbox) }

  /// Adds events in their order, within a transaction.
  mutating func add(_ events: [EventRow]) throws(FileFailure) {
    for event in events {
      let values = DeliveryValues(event.values).json
      try outbox.insertStaged.run(
        .integer(number),
        .wide(UInt128(event.key)),
        .integer(count),
        .text(event.name),
        .text(values)
      )
      count += 1
    }
  }

  /// Returns the events of a postback, in their order.
  func events(of key: PostbackKey) throws(FileFailure) -> [EventRow] {
    try outbox.selectStaged.all(.integer(number), .wide(UInt128(key))) { row throws(FileFailure) in
      EventRow(key: key, name: row.text(0), values: DeliveryValues(json: row.text(1))?.values ?? [:])
    }
  }

  /// Drops all of these events.
  func drop() throws(FileFailure) {
    try outbox.statement("DELETE FROM staged_events WHERE staging = ?").run(.integer(number))
  }
}
