/// A user's known activity in a conversion window, or since the first launch where the window is cumulative.
public struct Activity: Hashable, Sendable {
  /// The number of times that each event happened, by its name; an event that is not listed did not happen.
  public var counts: [String: Int]
  /// The total of the model's kind of revenue, in the model's currency.
  public var revenue: Amount

  /// An activity of these counts and this revenue; without arguments, an empty one.
  public init(counts: [String: Int] = [:], revenue: Amount = .zero) {
    self.counts = counts
    self.revenue = revenue
  }
}
