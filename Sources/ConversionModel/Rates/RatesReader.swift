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
      note(nil, "has no currency with the rate 1 on \(Self.text(of: day)); list the base")
    }
    guard problems.isEmpty else { throw RatesErrors(problems: problems) }
    return byDay
  }

  mutating func read(_ text: [UInt8]) {
    guard let text = String(validating: text, as: UTF8.self) else { return note(nil, "is not UTF-8; save it as UTF-8") }
    var records = CSVRecords(text)
    var isHeader = true
    while let record = records.next() {
      if record.fields == [""] { continue }
      if isHeader, record.defect != nil || record.fields != Self.columns {
        // Without the right header this is another kind of file, and problems of its other lines would not help.
        return note(record.line, "must be the header \(Self.columns.joined(separator: ","))")
      }
      if let defect = record.defect { note(record.line, defect) } else if !isHeader { read(record) }
      isHeader = false
    }
    if isHeader { note(nil, "is empty; it must begin with the header \(Self.columns.joined(separator: ","))") }
  }

  private mutating func read(_ record: CSVRecords.Record) {
    guard record.fields.count == Self.columns.count else {
      return note(record.line, "has \(record.fields.count) fields; there must be 3: a date, a currency and a rate")
    }
    let (date, currency, rate) = (record.fields[0], record.fields[1], record.fields[2])
    let time = Timestamp(date + "T00:00:00Z")
    if time == nil { note(record.line, "\(quoted(date)) must be a date such as 2026-03-01, from 1970 on") }
    let isCode =
      currency.utf8.count == 3 && currency.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    if !isCode {
      note(record.line, "\(quoted(currency)) must be an ISO 4217 code of three capital letters such as USD")
    }
    let value = Rate(rate)
    if value == nil {
      note(
        record.line,
        "\(quoted(rate)) must be a number above 0 and below 1000000000000, with at most twelve fraction digits and 21 "
          + "digits in all"
      )
    }
    guard let time, isCode, let value else { return }
    if byDay[time.daysSince1970, default: [:]].updateValue(value, forKey: currency) != nil {
      note(record.line, "\(currency) is there twice on \(date)")
    }
  }

  private func quoted(_ text: String) -> String {
    String(text.prefix(40)).debugDescription + (text.count > 40 ? "…" : "")
  }

  private mutating func note(_ line: Int?, _ reason: String) {
    problems.append(RatesProblem(file: file, line: line, reason: reason))
  }

  private static func text(of day: Int64) -> Substring {
    Timestamp(milliseconds: day * 86_400_000).description.prefix(10)
  }
}
