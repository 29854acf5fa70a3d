package import ConversionModel

/// The formats of numbers in a page.
package enum Numbers {
  /// The number with a narrow, unbreakable space between groups of three digits.
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202F}" }
      text.append(digit)
    }
    return (number < 0 ? "−" : "") + text
  }

  /// The amount with its currency, with two digits after the point and groups of three before it: `EUR 1 234.50`. Smaller
  /// parts are rounded half to even; the tables have them.
  package static func money(_ amount: Amount, _ currency: String?) -> String {
    let text = plain(amount)
    return currency.map { "\($0)\u{a0}\(text)" } ?? text
  }

  /// The amounts by currency, as one text; empty if there are none.
  package static func money(_ amounts: [String: Amount]) -> String {
    amounts.sorted { $0.key < $1.key }.map { money($0.value, $0.key) }.joined(separator: ", ")
  }

  /// The amount as `money` has it, without a currency.
  package static func plain(_ amount: Amount) -> String {
    let hundredths = amount.roundedHundredths
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    return (hundredths < 0 ? "−" : "") + grouped(whole) + (rest < 10 ? ".0" : ".") + "\(rest)"
  }

  /// A ratio with two digits after the point.
  package static func ratio(_ ratio: Double) -> String {
    let hundredths = Int((ratio * 100).rounded(.toNearestOrEven))
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// The share with one digit after the point.
  package static func percent(_ share: Double) -> String { "\((share * 1000).rounded(.toNearestOrEven) / 10) %" }
}
