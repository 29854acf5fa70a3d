internal import Base
internal import ConversionModel
internal import Glibc
internal import JSON
internal import Ledger
package import Tables

/// A filter for the rows of a table. A row passes if it is within a span of time and meets every condition.
package struct RowFilter: Sendable {
  fileprivate struct Term: Sendable {
    let column: Int
    let comparison: Condition.Comparison
    let values: [[UInt8]]
    /// The value as an integer, or for a time as milliseconds since 1970; nil if it is neither.
    let number: Int64?
    /// The value as a number with a fraction, such as a version; nil if it is none.
    let amount: Amount?
    let isTime: Bool
  }

  private let terms: [Term]
  private let received: Int?
  private let span: TimeSpan

  /// Creates a filter for rows of `table`. Conditions on columns that the table does not have are ignored.
  package init(_ conditions: [Condition], during span: TimeSpan, in table: Table) {
    terms = conditions.compactMap { condition in
      guard let column = table.columnNames.firstIndex(of: condition.column) else { return nil }
      let isTime = condition.column == "received_at"
      let value = condition.values[0]
      return Term(
        column: column,
        comparison: condition.comparison,
        values: condition.values.map { Array($0.utf8) },
        number: isTime ? Timestamp(dateOrTime: value)?.milliseconds : Int64(value),
        amount: isTime ? nil : try? Amount(parsing: value),
        isTime: isTime
      )
    }
    self.span = span
    received = span.isEverything ? nil : table.columnNames.firstIndex(of: "received_at")
  }

  /// The columns that are compared.
  package var columns: [Int] { terms.map(\.column) + (received.map { [$0] } ?? []) }

  /// Indicates that every row passes.
  package var isEverything: Bool { terms.isEmpty && received == nil }

  /// Returns true if the current row passes. A row without a time of receipt passes only if the span has no limits.
  package func matches(_ row: borrowing RowCursor) -> Bool {
    if let received {
      guard let time = row.time(received), span.contains(time) else { return false }
    }
    for term in terms where !term.matches(row) { return false }
    return true
  }
}

extension RowFilter.Term {
  fileprivate func matches(_ row: borrowing RowCursor) -> Bool {
    let cell = row.cell(column) ?? ByteRange(start: 0, count: 0)
    return switch comparison {
    case .equal, .among: values.contains { row.bytes.holds($0, at: cell) }
    case .notEqual: !row.bytes.holds(values[0], at: cell)
    case .contains: row.bytes.contains(values[0], in: cell)
    case .lacks: !row.bytes.contains(values[0], in: cell)
    case .below: order(row).map { $0 < 0 } ?? false
    case .above: order(row).map { $0 > 0 } ?? false
    case .atMost: order(row).map { $0 <= 0 } ?? false
    case .atLeast: order(row).map { $0 >= 0 } ?? false
    }
  }

  /// The order of the cell relative to the value: below 0 if it comes before, above 0 if it comes after. Numbers are
  /// compared as numbers, times as times, and everything else by its bytes. Nil if the cell is null.
  private func order(_ row: borrowing RowCursor) -> Int? {
    guard let cell = row.cell(column) else { return nil }
    if let number, let other = isTime ? row.time(column) : row.integer(column) {
      return other < number ? -1 : other > number ? 1 : 0
    }
    if let amount, let other = row.amount(column) {
      return other < amount ? -1 : other > amount ? 1 : 0
    }
    return row.bytes.order(of: cell, to: values[0])
  }
}

/// A span of time that includes its first moment and excludes the moment at which it ends.
package struct TimeSpan: Sendable, Equatable {
  /// The first moment in it, in milliseconds since 1970.
  package var since: Int64?
  /// The first moment after it, in milliseconds since 1970.
  package var until: Int64?

  /// Creates the span from `since` to before `until`; nil means no limit.
  package init(since: Int64? = nil, until: Int64? = nil) {
    (self.since, self.until) = (since, until)
  }

  var isEverything: Bool { since == nil && until == nil }

  /// The part of the span from a moment on; all of it if that is nil.
  package func from(_ start: Int64?) -> TimeSpan {
    TimeSpan(since: [since, start].compactMap(\.self).max(), until: until)
  }

  /// Tells if rows with these times may be in the span; true if the times are not known exactly.
  func overlaps(_ received: ReceiptSpan) -> Bool {
    guard let latest = received.latest else { return true }
    return received.oldest < until ?? .max && latest >= since ?? .min
  }

  func contains(_ time: Int64) -> Bool { time >= since ?? .min && time < until ?? .max }
}

extension [UInt8] {
  /// True if the bytes in the range are exactly `other`.
  fileprivate func holds(_ other: [UInt8], at range: ByteRange) -> Bool {
    Int(range.count) == other.count && order(of: range, to: other) == 0
  }

  /// The order of the bytes in the range relative to `other`: below 0 if they come before, 0 if they are equal, above 0
  /// if they come after.
  fileprivate func order(of range: ByteRange, to other: [UInt8]) -> Int {
    let start = Int(range.start)
    for index in 0..<Swift.min(Int(range.count), other.count) where self[start + index] != other[index] {
      return self[start + index] < other[index] ? -1 : 1
    }
    return Int(range.count) - other.count
  }

  /// True if `other` occurs in the range; an empty array always does.
  fileprivate func contains(_ other: [UInt8], in range: ByteRange) -> Bool {
    guard let first = other.first else { return true }
    let count = UInt32(other.count)
    var rest = range
    while rest.count >= count {
      guard let start = position(of: first, in: ByteRange(start: Int(rest.start), count: Int(rest.count - count) + 1))
      else { return false }
      if order(of: ByteRange(start: start, count: other.count), to: other) == 0 { return true }
      rest = ByteRange(start: start + 1, count: range.indices.upperBound - start - 1)
    }
    return false
  }

  private func position(of byte: UInt8, in range: ByteRange) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let found = unsafe memchr(base + Int(range.start), Int32(byte), Int(range.count))
      return unsafe found.map { unsafe UnsafeRawPointer($0) - base }
    }
  }
}
