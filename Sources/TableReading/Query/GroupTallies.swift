internal import JSON
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

/// Tallies by group. A limited number of groups is kept; the rows of all further ones are counted together in `rest`.
package struct GroupTallies: Sendable {
  private var table: GroupTable<RowTally>
  /// The rows of all groups that are not kept.
  package private(set) var rest = RowTally()

  /// The default limit for the number of groups.
  package static let largestCount = 100_000

  package init(limit: Int = GroupTallies.largestCount) { table = GroupTable(limit: limit) }

  /// The groups that are kept, in the order in which they came first.
  package var tallies: GroupEntries<RowTally> { table.entries }

  /// Indicates that all groups are kept.
  package var isWhole: Bool { rest.count == 0 }

  /// The number of groups that are kept.
  package var count: Int { table.entries.count }

  /// The tally of a group; nil if it is not there, or not kept.
  package subscript(key: GroupKey) -> RowTally? { table[key] }

  package mutating func add(_ key: GroupKey, at time: Int64?) { update(key) { $0.add(at: time) } }

  /// Adds a reject with a code.
  package mutating func add(_ key: GroupKey, at time: Int64?, code: String) {
    update(key) { tally in
      tally.add(at: time)
      tally.classes.add(code)
    }
  }

  package mutating func add(_ key: GroupKey, count: Int = 1) { update(key) { $0.count += count } }

  /// Adds the rows of groups by fewer values: those at some places in their keys.
  package mutating func add(_ groups: GroupTallies, by places: [Int]) {
    for (key, tally) in groups.tallies { update(key.only(places)) { $0 += tally } }
    rest += groups.rest
  }

  private mutating func update(_ key: GroupKey, _ body: (inout RowTally) -> Void) {
    if !table.update(key, RowTally(), body) { body(&rest) }
  }

  /// Adds the groups of rows that come later. Those that are kept depend on the order of all rows alone, as long as `later`
  /// keeps all of its own.
  package mutating func merge(_ later: GroupTallies) {
    var rest = rest
    table.merge(later.table, RowTally()) {
      $0 += $1
    } left: {
      rest += $0
    }
    rest += later.rest
    self.rest = rest
  }
}

extension GroupTallies {
  /// Removes the groups that do not meet a condition.
  package mutating func keep(where isKept: (GroupKey) -> Bool) { table.keep(where: isKept) }

  /// Writes the groups, all of which are kept. The classes of rejects are not written.
  package func encode(_ writer: inout ResultWriter) {
    table.encode(&writer) { writer, tally in
      writer.append(tally.count)
      writer.append(tally.firstSeen)
      writer.append(tally.lastSeen)
    }
  }

  /// Reads what `encode` has written.
  package init(_ reader: inout ResultReader, limit: Int = GroupTallies.largestCount) {
    table = GroupTable(&reader, limit: limit) { reader in
      var tally = RowTally()
      (tally.count, tally.firstSeen, tally.lastSeen) = (reader.count(), reader.optional(), reader.optional())
      return tally
    }
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
