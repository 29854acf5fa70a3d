/// An event that a conversion value stands for, with the ranges of its count and revenue.
public struct ModelEvent: Hashable, Sendable {
  /// The event's name, 1 to 256 bytes.
  public let name: String
  /// The least number of times that the event happened.
  public let minimumCount: Int
  /// The greatest number of times that the event happened; nil where it is open.
  public let maximumCount: Int?
  /// The total revenue of all these times; nil where the event has none.
  public let revenue: Revenue?

  /// The middle of the least and the greatest count, which may end in .5; the least count where the greatest is open.
  public var estimatedCount: Amount {
    .midpoint(Amount(minimumCount), Amount(maximumCount ?? minimumCount))
  }
}
