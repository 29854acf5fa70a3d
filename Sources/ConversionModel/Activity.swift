/// What a user did in a conversion window (or since the first launch, where the window is cumulative), as far as it is
/// known.
public struct Activity: Hashable, Sendable {
  /// How often each event happened, by its name; an event that is not here did not happen.
  public var counts: [String: Int]
  /// The total of the model's kind of revenue, in the model's currency.
  public var revenue: Amount

  /// What a user did.
  public init(counts: [String: Int] = [:], revenue: Amount = .zero) {
    self.counts = counts
    self.revenue = revenue
  }
}
