/// The meaning of a conversion value in a model.
public struct Meaning: Sendable {
  /// The events that happened, in the model's order; empty where the value says that none did.
  public let events: [ModelEvent]
  /// The total revenue of the events, zero where none has any; nil in a model without a currency.
  public let revenue: Revenue?

  init(events: [ModelEvent], hasCurrency: Bool) {
    self.events = events
    revenue = hasCurrency ? events.reduce(.zero) { sum, event in event.revenue.map { sum + $0 } ?? sum } : nil
  }

  /// Tells if both have the same events, in any order.
  public func isSame(as other: Meaning) -> Bool {
    func times(_ event: ModelEvent, in events: [ModelEvent]) -> Int { events.count { $0 == event } }
    return events == other.events
      || events.count == other.events.count
        && events.allSatisfy { times($0, in: events) == times($0, in: other.events) }
  }
}
