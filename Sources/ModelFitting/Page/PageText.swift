internal import PageMarkup

extension HTML.Interpolation {
  /// Appends a length of a drawing.
  mutating func appendInterpolation(_ length: Double) { appendLiteral(RoundedText.fixed(length, places: 1)) }
}
