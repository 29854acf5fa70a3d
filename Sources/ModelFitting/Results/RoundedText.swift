internal import Base
internal import Glibc

/// Estimates as text.
package enum RoundedText {
  /// The number with this many significant digits, at most six of them after the point: `1235`, `12.35`, `0.0123`.
  package static func significant(_ number: Double, digits: Int = 4) -> String {
    guard number.isFinite else { return number > 0 ? "infinite" : "unknown" }
    guard number != 0 else { return "0" }
    let magnitude = Int(log10(number.magnitude).rounded(.down))
    return fixed(number, places: min(6, max(0, digits - 1 - magnitude)))
  }

  /// The number as a person writes it, without zeros at the end.
  package static func short(_ number: Double) -> String {
    var text = significant(number)
    guard text.contains(".") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// The number with this many digits after the point.
  package static func fixed(_ number: Double, places: Int) -> String {
    guard number.isFinite, number.magnitude < 1e12 else { return number.isFinite ? "\(number)" : "infinite" }
    let scale = pow(10, Double(places))
    let whole = Int128((number.magnitude * scale).rounded(.toNearestOrEven))
    let (units, rest) = whole.quotientAndRemainder(dividingBy: Int128(scale))
    let sign = number < 0 && whole > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(units)" }
    return "\(sign)\(units).\(rest.digits(places))"
  }

  /// The share with one digit after the point: `4.1 %`.
  package static func percent(_ share: Double) -> String { "\(fixed(share * 100, places: 1)) %" }
}
