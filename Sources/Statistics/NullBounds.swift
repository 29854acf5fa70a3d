package import ConversionModel

/// The bounds of a sum over postbacks that need no assumption: each value at an end of the range that it can mean, and
/// the nulls at the least and at the greatest amount of all values (Manski 2003).
package struct NullBounds: Equatable, Sendable {
  /// The lower bound.
  package let low: Amount
  /// The upper bound; nil if an amount is open.
  package let high: Amount?

  /// Makes the bounds for values that are worth from `least` to `most`, and `nulls` postbacks without a value.
  /// `minima` and `maxima` are those of all values of the model, nil for an open one.
  package init(least: Amount, most: Amount?, nulls: Int, minima: [Amount], maxima: [Amount?]) {
    low = least + (minima.min() ?? .zero) * nulls
    let closed = maxima.compactMap(\.self)
    let isOpen = nulls > 0 && closed.count < maxima.count
    high = isOpen ? nil : most.map { $0 + (closed.max() ?? .zero) * nulls }
  }
}
