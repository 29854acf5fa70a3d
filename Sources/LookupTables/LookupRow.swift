internal import Base

/// A row of a lookup table, whose cells are texts. A cell that is empty or null is absent.
package struct LookupRow<Column: LookupColumn> {
  let file: String
  /// The number of the line on which the row begins, from 1.
  package let line: Int
  let dates: LookupDateFormat?
  package var cells: [Column: String] = [:]
  /// Indicates that a cell of the row is wrong, so that the row cannot be used.
  package private(set) var isWrong = false

  /// Adds a problem of the row, in a column or in all of it.
  package mutating func note(_ column: Column?, _ reason: String, _ findings: inout LookupFindings) {
    isWrong = true
    findings.add(LookupProblem(file: file, line: line, column: column?.rawValue, reason: reason))
  }

  /// Adds a remark about the row.
  package func warn(_ column: Column?, _ reason: String, _ findings: inout LookupFindings) {
    findings.warn(LookupProblem(file: file, line: line, column: column?.rawValue, reason: reason))
  }

  /// Returns the text of a cell; nil, with a problem, if it is absent.
  package mutating func required(_ column: Column, _ findings: inout LookupFindings) -> String? {
    if let text = cells[column] { return text }
    note(column, "The column is required, and the row has no value in it.", &findings)
    return nil
  }

  /// Returns an integer; nil if the cell is absent, and, with a problem, if it is not in `range`.
  package mutating func integer(_ column: Column, in range: ClosedRange<Int64>, _ findings: inout LookupFindings)
    -> Int64?
  {
    guard let text = cells[column] else { return nil }
    if text.utf8.allSatisfy(\.isDecimalDigit), let value = Int64(text), range.contains(value) { return value }
    let expected =
      range.upperBound == .max
      ? "an integer from \(range.lowerBound) on" : "an integer from \(range.lowerBound) to \(range.upperBound)"
    note(column, "The value must be \(expected), but it is \(text.quotedExcerpt).", &findings)
    return nil
  }

  /// Returns a Boolean; nil if the cell is absent, and, with a problem, if it is not a Boolean.
  mutating func boolean(_ column: Column, _ findings: inout LookupFindings) -> Bool? {
    guard let text = cells[column] else { return nil }
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default:
      note(column, "The value must be true or false, but it is \(text.quotedExcerpt).", &findings)
      return nil
    }
  }

  /// Returns a word; nil if the cell is absent, and, with a problem, if it is not one of the words.
  package mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ column: Column,
    _: Word.Type,
    _ findings: inout LookupFindings
  ) -> Word? {
    guard let text = cells[column] else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue).joined(separator: " or ")
    note(column, "The value must be \(words), but it is \(text.quotedExcerpt).", &findings)
    return nil
  }

  /// Returns a country; nil if the cell is absent, and, with a problem, if it is not two letters.
  package mutating func country(_ column: Column, _ findings: inout LookupFindings) -> Country? {
    guard let text = cells[column] else { return nil }
    if let country = Country(text.utf8.span) { return country }
    note(column, "The country must be two letters (ISO 3166-1) such as US, but it is \(text.quotedExcerpt).", &findings)
    return nil
  }

  /// Returns the first moment of a date in UTC, or a time, in milliseconds since 1970; nil if the cell is absent, and,
  /// with a problem, if it is neither.
  package mutating func date(_ column: Column, _ findings: inout LookupFindings) -> Int64? {
    guard let text = cells[column] else { return nil }
    if let time = Timestamp(dateOrTime: text) { return time.milliseconds }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDecimalDigit) }),
      (1...2).contains(parts[0].count), (1...2).contains(parts[1].count), parts[2].count == 4
    else {
      note(column, "The date must be one such as 2026-03-01, from 1970 on, but it is \(text.quotedExcerpt).", &findings)
      return nil
    }
    guard dates == .monthDayYear else {
      let reason = """
        The date \(text.quotedExcerpt) can be read in two ways. Write it as 2026-03-01, or give --date-format MDY if months \
        come first.
        """
      note(column, reason, &findings)
      return nil
    }
    let (month, day) = (parts[0].twoDigits, parts[1].twoDigits)
    if let time = Timestamp("\(parts[2])-\(month)-\(day)T00:00:00Z") { return time.milliseconds }
    note(column, "The calendar has no day \(text.quotedExcerpt) with the month first, from 1970 on.", &findings)
    return nil
  }

  /// Returns the time in which the row is valid; nil, with a problem, if it is wrong.
  mutating func validity(from: Column, to: Column, _ findings: inout LookupFindings) -> Validity? {
    let wasWrong = isWrong
    isWrong = false
    defer { isWrong = isWrong || wasWrong }
    let (start, end) = (date(from, &findings), date(to, &findings))
    guard !isWrong else { return nil }
    let validity = Validity(from: start ?? .min, to: end ?? .max)
    if validity.from < validity.to { return validity }
    note(to, "The row ends before it begins, or at once. The end is the first day on which it is not valid.", &findings)
    return nil
  }
}

/// The time in which a row of a lookup table is valid, in milliseconds since 1970, without its end.
package struct Validity: Hashable, Sendable {
  /// The first moment; `Int64.min` without limit.
  package let from: Int64
  /// The first moment after it; `Int64.max` without limit.
  package let to: Int64

  /// Tells if both have a moment in common.
  func overlaps(_ other: Validity) -> Bool { from < other.to && other.from < to }

  /// Tells if all of the other is in it.
  func contains(_ other: Validity) -> Bool { from <= other.from && other.to <= to }

  /// Tells if a moment is in it.
  func contains(_ moment: Int64) -> Bool { from <= moment && moment < to }
}

/// A country as its two letters (ISO 3166-1 alpha-2), in capitals.
package struct Country: Hashable, Sendable {
  /// The ASCII codes of both letters.
  let code: UInt16

  /// The country that a text of two letters names, in any case; nil for another text.
  package init?(_ text: Span<UInt8>) {
    guard text.count == 2 else { return nil }
    var code: UInt16 = 0
    for index in text.indices {
      let letter = text[index] & 0xDF
      guard text[index] >= UInt8(ascii: "A"), (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) else {
        return nil
      }
      code = code << 8 | UInt16(letter)
    }
    self.code = code
  }

  /// The two letters.
  package var letters: InlineArray<2, UInt8> { [UInt8(code >> 8), UInt8(code & 255)] }

  /// The two letters as text.
  package var text: String { String(decoding: [UInt8(code >> 8), UInt8(code & 255)], as: UTF8.self) }
}

extension Substring {
  /// The digits with a leading zero if there is only one.
  fileprivate var twoDigits: String { count == 1 ? "0\(self)" : String(self) }
}
