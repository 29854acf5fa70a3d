internal import CopySettlement
internal import DerivedTables
internal import DurableFiles
internal import PostbackVerification
internal import Tables

/// A postback with its effective values and the events that they mean.
struct EffectivePostback {
  let key: PostbackKey
  let values: [TemplatePlaceholder: PlaceholderValue]
  let events: [EventRow]

  /// The values of a delivery with the effective ones in their place. `event` is that of the delivery; without it, where the
  /// event is gone, it happened 0 times.
  func values(replacing delivered: DeliveryValues, event: EventRow?, isGone: Bool) -> DeliveryValues {
    var new = delivered.values
    for macro in RowValues.settledMacros { new[macro] = values[macro] }
    if event != nil || isGone {
      for macro in RowValues.eventMacros where macro != .eventName { new[macro] = event?.values[macro] }
    }
    if isGone { new.merge(Self.noEvent(delivered.values[.currency])) { $1 } }
    return DeliveryValues(new)
  }

  /// The values of a new delivery of an event: those of its postback, with the effective ones in their place.
  func values(of event: EventRow, in postback: DeliveryValues) -> DeliveryValues {
    var new = values(replacing: postback, event: event, isGone: false).values
    new[.eventName] = event.values[.eventName]
    return DeliveryValues(new)
  }

  private static func noEvent(_ currency: PlaceholderValue?) -> [TemplatePlaceholder: PlaceholderValue] {
    var values: [TemplatePlaceholder: PlaceholderValue] = [
      .eventCount: .number("0"), .eventCountMin: .number("0"), .eventCountMax: .number("0"),
    ]
    if let currency {
      values[.currency] = currency
      for macro in [TemplatePlaceholder.revenue, .revenueMin, .revenueMax] { values[macro] = .number("0") }
    }
    return values
  }
}

/// The postbacks of `skan_settled` with their events, in batches.
struct SettledPostbacks {
  private let snapshot: DerivedSnapshot
  private var rows: StoredRows
  private var events: StoredRows?
  private var ahead: ArraySlice<EventRow> = []
  private let keyPlace = Table.settled.place(.postbackKey)

  /// Opens the tables of an output; nil if it does not have them.
  init?(in output: String) throws(FileFailure) {
    snapshot = try DerivedSnapshot(of: output)
    for table in [Table.settled, .settledEvents] { try snapshot.verify(table) }
    guard let rows = try StoredRows(.settled, in: snapshot.folder) else { return nil }
    self.rows = rows
    events = try StoredRows(.settledEvents, in: snapshot.folder)
  }

  /// Returns the next postbacks; nil after the last ones.
  mutating func next() throws(FileFailure) -> [EffectivePostback]? {
    guard let batch = try rows.next() else { return nil }
    var row = RowCursor(batch, of: .settled)
    var postbacks: [EffectivePostback] = []
    while row.next() {
      guard let key = row.key(keyPlace) else { continue }
      postbacks.append(EffectivePostback(key: key, values: RowValues.settled.read(row), events: try events(of: key)))
    }
    return postbacks
  }

  /// Returns the events of a postback, which are the next ones if it has any.
  private mutating func events(of key: PostbackKey) throws(FileFailure) -> [EventRow] {
    var own: [EventRow] = []
    while true {
      if ahead.isEmpty {
        guard let more = try events?.next() else { return own }
        ahead = EventRow.read(more, of: .settledEvents)[...]
        continue
      }
      guard ahead.first?.key == key, let event = ahead.popFirst() else { return own }
      own.append(event)
    }
  }
}
