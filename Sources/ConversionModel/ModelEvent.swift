/// An event that a conversion value says to have happened, with what it says about how often and for how much.
public struct ModelEvent: Hashable, Sendable {
  /// The event's name, 1 to 256 bytes.
  public let name: String
  /// The least number of times.
  public let minimumCount: Int
  /// The greatest number of times; nil where it is open.
  public let maximumCount: Int?
  /// The revenue of all these times together; nil where the event has none.
  public let revenue: Revenue?

  /// The middle of the least and the greatest number, which may be x.5; the least where the greatest is open.
  public var estimatedCount: Amount {
    .midpoint(Amount(minimumCount), Amount(maximumCount ?? minimumCount))
  }
}
