internal import Base

/// Reads a file of rates, and notes all problems found in it.
struct RatesReader {
  private let file: String
  private var problems: [RatesProblem] = []
  private var byDay: [Int64: [String: Rate]] = [:]

  private static let columns = ["date", "currency", "rate"]

  init(file: String) { self.file = file }

  /// Returns all rates, by day since 1970-01-01 and by currency; throws all problems.
  consuming func rates() throws(RatesErrors) -> [Int64: [String: Rate]] {
    for day in byDay.keys.sorted() where byDay[day]?.contains(where: { $0.value.isOne }) == false {
      note(nil, "No currency has the rate 1 on \(Self.text(of: day)). List the base currency with the rate 1.")
    }
    guard problems.isEmpty else { throw RatesErrors(problems: problems) }
    return byDay
  }

  mutating func read(_ text: [UInt8]) {
    guard let text = String(validating: text, as: UTF8.self) else {
      return note(nil, "The file is not UTF-8. Save it as UTF-8.")
    }
    var records = CSVRecords(text)
    var isHeader = true
    while let record = records.next() {
      if record.fields == [""] { continue }
      if isHeader, record.defect != nil || record.fields != Self.columns {
        // Without the right header this is another kind of file, and problems of its other lines would not help.
        return note(record.line, "The first record must be the header \(Self.columns.joined(separator: ",")).")
      }
      if let defect = record.defect { note(record.line, defect) } else if !isHeader { read(record) }
      isHeader = false
    }
    if isHeader {
      note(nil, "The file is empty. It must begin with the header \(Self.columns.joined(separator: ",")).")
    }
  }

  private mutating func read(_ record: CSVRecords.Record) {
    guard record.fields.count == Self.columns.count else {
      return note(
        record.line,
        "The record has \(record.fields.count) fields. It must have 3: a date, a currency and a rate."
      )
    }
    let (date, currency, rate) = (record.fields[0], record.fields[1], record.fields[2])
    let time = Timestamp(date + "T00:00:00Z")
    if time == nil {
      note(record.line, "The date must be one such as 2026-03-01, from 1970 on, but it is \(date.quotedExcerpt).")
    }
    if !currency.isCurrencyCode {
      note(
        record.line,
        "The currency must be an ISO 4217 code of three capital letters such as USD, but it is "
          + "\(currency.quotedExcerpt)."
      )
    }
    let value = Rate(rate)
    if value == nil {
      note(
        record.line,
        "The rate must be a number above 0 and below 1000000000000, with at most twelve fraction digits and 21 digits "
          + "in all, but it is \(rate.quotedExcerpt)."
      )
    }
    guard let time, currency.isCurrencyCode, let value else { return }
    if byDay[time.daysSince1970, default: [:]].updateValue(value, forKey: currency) != nil {
      note(record.line, "The rate of \(currency) on \(date) is listed twice. Remove one.")
    }
  }

  private mutating func note(_ line: Int?, _ reason: String) {
    problems.append(RatesProblem(file: file, line: line, reason: reason))
  }

  private static func text(of day: Int64) -> Substring {
    Timestamp(milliseconds: day * 86_400_000).description.prefix(10)
  }
}

/// The records of a CSV text (RFC 4180; lines may also end with LF alone), in order.
struct CSVRecords {
  /// A record of the CSV text.
  struct Record {
    /// The number of the line on which the record begins, from 1.
    let line: Int
    var fields: [String] = []
    /// The error in the record's quoting, as a sentence; nil where there is none.
    var defect: String?
  }

  private var rest: Substring.UnicodeScalarView
  private var line = 1

  /// The records of `text`; a leading byte order mark is skipped.
  init(_ text: String) {
    rest = text.unicodeScalars[...]
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
  }

  /// The next record; nil at the end.
  mutating func next() -> Record? {
    guard !rest.isEmpty else { return nil }
    var record = Record(line: line)
    while true {
      record.fields.append(rest.first == "\"" ? quotedField(&record) : bareField(&record))
      guard let separator = rest.popFirst(), separator == "," else { break }
    }
    line += 1
    return record
  }

  /// Reads up to the next comma or the end of the line; a quote is a defect.
  private mutating func bareField(_ record: inout Record) -> String {
    var field = String.UnicodeScalarView()
    while let scalar = rest.first, scalar != ",", scalar != "\n" {
      if scalar == "\"" { record.defect = "The record has a quote inside a field that is not quoted." }
      field.append(scalar)
      rest.removeFirst()
    }
    if rest.first != ",", field.last == "\r" { field.removeLast() }
    return String(field)
  }

  private mutating func quotedField(_ record: inout Record) -> String {
    var field = String.UnicodeScalarView()
    rest.removeFirst()
    while let scalar = rest.popFirst() {
      if scalar == "\n" { line += 1 }
      guard scalar == "\"" else {
        field.append(scalar)
        continue
      }
      guard rest.first == "\"" else {
        if !bareField(&record).isEmpty { record.defect = "The record has text after a closing quote." }
        return String(field)
      }
      field.append(scalar)
      rest.removeFirst()
    }
    record.defect = "The record has a quote that is not closed."
    return String(field)
  }
}
