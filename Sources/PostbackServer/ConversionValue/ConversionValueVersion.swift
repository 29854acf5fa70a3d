/// A version of the conversion value API.
public enum ConversionValueVersion: CaseIterable, Sendable {
  /// For SKAdNetwork 1 to 3: one fine value, which only rises.
  case v1
  /// For SKAdNetwork 4: three conversion windows with fine and coarse values.
  case v2
}
