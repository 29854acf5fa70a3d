/// What the values of one conversion window mean.
public struct ModelWindow: Sendable {
  /// The window's `postback-sequence-index`, 0 to 2.
  public let postbackSequenceIndex: Int
  /// Whether the window's values include what happened in the windows before.
  public let isCumulative: Bool
  /// Whether the app locks the window early, so that its postback may come soon.
  public let isLockedEarly: Bool
  /// The meanings of the fine values 0 to 63, nil for those that the model does not list; empty where it lists none.
  public let fine: [Meaning?]
  /// The meanings of the coarse values low, medium and high.
  let coarse: [Meaning?]

  /// What `value` means; nil where the model does not list it, in particular outside 0 to 63.
  public func meaning(fine value: Int) -> Meaning? {
    fine.indices.contains(value) ? fine[value] : nil
  }

  /// What `value` means; nil where the model does not list it.
  public func meaning(coarse value: CoarseValue) -> Meaning? {
    let index =
      switch value {
      case .low: 0
      case .medium: 1
      case .high: 2
      }
    return coarse.indices.contains(index) ? coarse[index] : nil
  }
}
