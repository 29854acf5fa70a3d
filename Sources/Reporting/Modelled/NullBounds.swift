package import ConversionModel

/// The bounds of a sum over postbacks that need no assumption on those without a value: the observed sum plus the nulls
/// at the least and at the greatest amount (Manski 2003).
package struct NullBounds: Equatable, Sendable {
  /// The lower bound.
  package let low: Amount
  /// The upper bound; nil if an amount is open.
  package let high: Amount?

  /// Makes the bounds for `nulls` postbacks without a value. `amounts` are those of all values of the model, nil for an
  /// open one.
  package init(observed: Amount, nulls: Int, amounts: [Amount?]) {
    let closed = amounts.compactMap(\.self)
    low = observed + (closed.min() ?? .zero) * nulls
    let isOpen = nulls > 0 && closed.count < amounts.count
    high = isOpen ? nil : observed + (closed.max() ?? .zero) * nulls
  }
}
