internal import ConversionModel
package import JSON
internal import PostbackPipeline
package import Tables

/// A count of rows, with the earliest and the latest time of receipt.
package struct RowTally: Sendable, Equatable {
  /// The number of rows.
  package var count = 0
  /// The earliest time of receipt, in milliseconds since 1970; nil if no row has one.
  package var firstSeen: Int64?
  /// The latest time of receipt, in milliseconds since 1970; nil if no row has one.
  package var lastSeen: Int64?
  /// The rows by class; none if they are no rejects, or are not counted by class.
  package var classes = RejectCounts()

  /// Creates a tally without rows.
  package init() {}

  package mutating func add(at time: Int64?) {
    count += 1
    guard let time else { return }
    firstSeen = min(firstSeen ?? time, time)
    lastSeen = max(lastSeen ?? time, time)
  }

  /// Adds other rows.
  package static func += (left: inout RowTally, right: RowTally) {
    left.count += right.count
    left.classes += right.classes
    if let first = right.firstSeen { left.firstSeen = min(left.firstSeen ?? first, first) }
    if let last = right.lastSeen { left.lastSeen = max(left.lastSeen ?? last, last) }
  }
}

/// Tallies by group. `merge` keeps a limited number of groups; the rows of all further ones are counted together in
/// `rest`.
package struct Groups: Sendable {
  /// The tally of each group that is kept.
  package private(set) var tallies: [GroupKey: RowTally] = [:]
  /// The rows of all groups that are not kept.
  package private(set) var rest = RowTally()
  private var keyBytes = 0
  private let limit: Int

  /// The default limit for the number of groups.
  static let largestCount = 100_000
  private static let largestKeyBytes = 32 << 20

  package init(limit: Int = Groups.largestCount) { self.limit = limit }

  package mutating func add(_ key: GroupKey, at time: Int64?) {
    tallies[key, default: RowTally()].add(at: time)
  }

  /// Adds a reject with a code.
  package mutating func add(_ key: GroupKey, at time: Int64?, code: String) {
    tallies[key, default: RowTally()].add(at: time)
    tallies[key, default: RowTally()].classes.add(code)
  }

  package mutating func add(_ key: GroupKey, count: Int = 1) {
    tallies[key, default: RowTally()].count += count
  }

  /// Adds the groups of rows that come later.
  package mutating func merge(_ later: Groups) {
    let laterBytes = later.tallies.keys.reduce(0) { $0 + $1.bytes.count }
    if tallies.count + later.tallies.count <= limit, keyBytes + laterBytes <= Self.largestKeyBytes {
      for (key, tally) in later.tallies {
        if tallies[key] == nil { keyBytes += key.bytes.count }
        tallies[key, default: RowTally()] += tally
      }
      rest += later.rest
      return
    }
    // The order depends on the rows alone, so that the groups that are kept depend on them alone, too.
    for (key, tally) in later.tallies.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      if tallies[key] == nil {
        guard tallies.count < limit, keyBytes + key.bytes.count <= Self.largestKeyBytes else {
          rest += tally
          continue
        }
        keyBytes += key.bytes.count
      }
      tallies[key, default: RowTally()] += tally
    }
    rest += later.rest
  }
}

/// A column to group rejects by: a column of skan_rejects, or the day or hour of receipt.
package struct GroupColumn: Sendable, Hashable {
  /// The name, also in output.
  package let name: String

  private static let day = "received_day"
  private static let hour = "received_hour"

  /// The names of the groupings that are not columns of a table.
  package static let derived = [day, hour]

  /// Indicates that the values are times, or parts of them.
  package var isTime: Bool { column == "received_at" }

  /// Creates the grouping called `name`. Throws if there is no such column and no such derived name.
  package init(_ name: String) throws(QueryDefect) {
    guard Table.rejects.columnNames.contains(name) || Self.derived.contains(name) else {
      throw QueryDefect(unknown: name, derived: Self.derived)
    }
    self.name = name
  }

  fileprivate init(known name: String) { self.name = name }

  /// Parses a list of columns, such as `forwarder,reject_code`.
  package static func list(_ text: String) throws(QueryDefect) -> [GroupColumn] {
    var columns: [GroupColumn] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let column = try GroupColumn(String(name.filter { !$0.isWhitespace }))
      guard !columns.contains(column) else { throw QueryDefect("The column \(column.name) is named twice.") }
      columns.append(column)
    }
    return columns
  }

  /// The length, in bytes, of the part of a time that is the value: its date, or its date and hour. Nil if the whole
  /// cell is the value.
  fileprivate var prefix: Int? {
    switch name {
    case Self.day: "2026-03-10".utf8.count
    case Self.hour: "2026-03-10T00".utf8.count
    default: nil
    }
  }

  fileprivate var column: String { prefix == nil ? name : "received_at" }
}

/// A reader of group keys from rows of one table. It uses those columns of the grouping that the table has.
package struct GroupKeyReader: Sendable {
  private struct Part: Sendable {
    let column: Int
    let prefix: Int?
  }

  /// The indexes in the grouping of the columns that the table has.
  package let columns: [Int]
  private let parts: [Part]

  /// The columns of the table that are read.
  package var cells: [Int] { parts.map(\.column) }

  package init(_ grouping: [GroupColumn], in table: Table) {
    let found = grouping.enumerated().compactMap { index, column in
      table.columnNames.firstIndex(of: column.column).map { (index, Part(column: $0, prefix: column.prefix)) }
    }
    columns = found.map(\.0)
    parts = found.map(\.1)
  }

  /// Creates a reader of the columns with these names, which `table` must have.
  package init(_ names: [String], in table: Table) { self.init(names.map { GroupColumn(known: $0) }, in: table) }

  /// Replaces `key` with the key of the current row.
  package func read(_ row: borrowing RowCursor, into key: inout GroupKey) {
    key.removeAll()
    for part in parts {
      let cell = row.cell(part.column)
      let count = cell.map { min(Int($0.count), part.prefix ?? .max) }
      key.append(cell.map { ByteRange(start: Int($0.start), count: count ?? 0) }, of: row.bytes)
    }
  }
}

/// The values that the rows of a group have in common.
package struct GroupKey: Hashable, Sendable {
  /// The encoded values, one after the other. Null is the byte 0; a text is the byte 1, its length in four bytes
  /// (little-endian) and its bytes.
  package private(set) var bytes: [UInt8] = []

  /// A key without values.
  package init() {}

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append(_ text: ByteRange?, of source: [UInt8]) {
    guard let text else { return bytes.append(0) }
    bytes.append(1)
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    bytes.append(text, of: source)
  }

  /// The decoded values, in the order of the columns; nil for null.
  package var values: [String?] {
    var values: [String?] = []
    var rest = bytes[...]
    while let mark = rest.popFirst() {
      guard mark == 1 else {
        values.append(nil)
        continue
      }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      values.append(String(decoding: rest.dropFirst(4).prefix(count), as: UTF8.self))
      rest = rest.dropFirst(4 + count)
    }
    return values
  }

  /// The key with only the values at these indexes.
  package func only(_ places: [Int]) -> GroupKey {
    let values = values
    var key = GroupKey()
    for place in places {
      let text = values[place].map { Array($0.utf8) }
      key.append(text.map { ByteRange(start: 0, count: $0.count) }, of: text ?? [])
    }
    return key
  }
}
