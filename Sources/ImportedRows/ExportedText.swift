internal import Base
internal import JSON
internal import SKAdNetwork

/// The texts of exports, and the forms in which vendors, spreadsheets and pandas write values.
enum ExportedText {
  /// Words that exports write where there is no value.
  private static let wordsForNone: Set<String> = ["", "null", "none", "nil", "nan", "n/a", "na", "-", "-1"]

  static func isWordForNone(_ text: String) -> Bool { wordsForNone.contains(text[...].trimmed.lowercased()) }

  /// The most conversions of a row. A column of ids is no count.
  static let mostConversions: Int64 = 1_000_000_000_000

  /// Returns the whole number that a text is; nil for others, and for one with a point and three zeros, which may be thousands
  /// unless it is zero.
  static func wholeNumber(_ text: String) -> Int64? {
    // Spreadsheets and pandas write whole numbers as 1200.0 where a row lacks one.
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isWhole =
      parts.count == 1
      || (parts.count == 2 && !parts[1].isEmpty && parts[1].allSatisfy { $0 == "0" }
        && (parts[1] != "000" || parts[0].allSatisfy { $0 == "0" }))
    return isWhole ? Int64(parts[0]).flatMap { (0...mostConversions).contains($0) ? $0 : nil } : nil
  }

  /// Tells if an amount may have points between thousands, such as 12.500.
  static func mayHaveThousands(_ text: String) -> Bool {
    let digits = text.utf8.first.map("+-".utf8.contains) ?? false ? text.utf8.dropFirst() : text.utf8[...]
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard let first = parts.first, (1...3).contains(first.count), first.first != UInt8(ascii: "0") else { return false }
    return parts.count > 1 && parts.dropFirst().allSatisfy { $0.count == 3 }
      && parts.joined().allSatisfy(\.isDecimalDigit)
  }

  /// Returns the number of an app, also as the App Store writes it: `id525463029`; nil if the text is none.
  static func app(_ text: String) -> Int64? {
    let digits = text.hasPrefix("id") ? text.dropFirst(2) : text[...]
    // Spreadsheets and pandas write whole numbers as 525463029.0 where a row lacks one.
    let number = Int64(digits) ?? FieldValue.integer(.string, Array(digits.utf8).span, in: Field.appID.range).value
    return number.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Tells if a name is Apple's for an app, or a plain one.
  static func isAppName(_ name: String) -> Bool {
    name == Field.appID.name || ["app_id", "app"].contains(name.lowercased())
  }
}

extension JSONValue {
  /// The text of a string, a number or a Boolean; nil for any other value.
  var scalar: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let flag): "\(flag)"
    case .null, .array, .object: nil
    }
  }
}
