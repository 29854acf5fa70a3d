internal import Base

/// Reads a file of rates, and notes all problems found in it.
@available(iOS 18.0, *)
struct RatesReader {
  private let file: String
  private var problems: [ModelProblem] = []
  private var byDay: [Int64: [String: ExchangeRate]] = [:]

  private static let columns = ["date", "currency", "rate"]

  init(file: String) { self.file = file }

  /// Returns all rates, by day since 1970-01-01 and by currency; throws all problems.
  consuming func rates() throws(ModelErrors) -> [Int64: [String: ExchangeRate]] {
    for day in byDay.keys.sorted() where byDay[day]?.contains(where: { $0.value.isOne }) == false {
      note(nil, "No currency has the rate 1 on \(Timestamp.name(ofDay: day)). List the base currency with the rate 1.")
    }
    guard problems.isEmpty else { throw ModelErrors(problems: problems) }
    return byDay
  }

  mutating func read(_ text: [UInt8]) {
    guard String(validating: text, as: UTF8.self) != nil else {
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
    let value = ExchangeRate(rate)
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
    problems.append(ModelProblem(file: file, line: line, reason: reason))
  }
}
