internal import Base
internal import DurableFiles
internal import JSON
internal import Tables

/// A row of `skan_daily` as text, for the comparison of two reports.
struct DailyStoredRow: Sendable {
  /// The cells that make the row another one than all others: the day, the window, the dimensions and the cost's level.
  let identity: DailyKeyBytes
  /// The cells of the columns that `skan_daily_changes` has too, in the order of its columns.
  let key: [String?]
  /// The cells of `DailyStoredRows.metrics`.
  let metrics: [String?]

  /// The cells of the date type, the date and the conversion window.
  var day: (type: String?, date: String?, window: String?) { (key[0], key[1], key[2]) }
}

/// Reads rows of `skan_daily`.
struct DailyStoredRows {
  /// The columns whose changes are recorded: the counts and the amounts. Ratios follow from them, and the state of a day
  /// changes with time alone.
  static let metrics: [ColumnName] =
    (Column.dailyCounts + Column.dailyRevenue + Column.dailyTrust + Column.dailyModelled + Column.dailyCost)
    .filter(\.isMetric).map(\.name)
  /// The columns that a change has in common with its row.
  static let key = Column.dailyKeys.map(\.name) + [.costLevel]

  private static let metricPlaces = metrics.map(Table.daily.place)
  private static let keyPlaces = key.map(Table.daily.place)
  private static let identityPlaces: [Int] = {
    let names = DailyName.allCases.map(\.column)
    return key.filter { !names.contains($0) }.map(Table.daily.place)
  }()

  /// Returns the rows of a batch in order. A line that is not a row is passed over.
  static func read(_ batch: RowBatch) -> [DailyStoredRow] {
    var cursor = RowCursor(batch, of: .daily)
    var rows: [DailyStoredRow] = []
    rows.reserveCapacity(batch.rows.count)
    while cursor.next() {
      var identity = DailyKeyBytes()
      for place in identityPlaces { identity.append(place, of: cursor) }
      var key: [String?] = []
      for place in keyPlaces { key.append(cursor.text(place)) }
      var metrics: [String?] = []
      for place in metricPlaces { metrics.append(cursor.text(place)) }
      rows.append(DailyStoredRow(identity: identity, key: key, metrics: metrics))
    }
    return rows
  }
}

extension Column {
  fileprivate var isMetric: Bool {
    switch type {
    case .integer: true
    case .decimal(_, let scale), .signedDecimal(_, let scale): scale == 7
    default: false
    }
  }
}

/// A day of `skan_daily`: the place of its rows in the order of the table.
struct DailyPosition: Comparable {
  let type: DateType
  /// The day since 1970; nil, and last, if it is not known.
  let day: Int64?

  static func < (left: Self, right: Self) -> Bool {
    if left.type != right.type { return left.type == .received }
    return left.day ?? .max < right.day ?? .max
  }
}

/// The rows of the report that was there before, day by day.
struct DailyPreviousRows {
  private var stored: StoredRows
  private var rows: ArraySlice<DailyStoredRow> = []

  init(_ stored: StoredRows) { self.stored = stored }

  /// The day of the next rows; nil at the end.
  mutating func position() throws(FileFailure) -> DailyPosition? {
    while rows.isEmpty {
      guard let batch = try stored.next() else { return nil }
      rows = DailyStoredRows.read(batch)[...]
    }
    return rows.first.map(DailyPosition.init)
  }

  /// Returns all rows of the next day.
  mutating func nextDay() throws(FileFailure) -> [DailyStoredRow] {
    guard let first = try position() else { return [] }
    var day: [DailyStoredRow] = []
    while try position() == first, let row = rows.popFirst() { day.append(row) }
    return day
  }
}

extension DailyPosition {
  fileprivate init(_ row: DailyStoredRow) {
    type = row.day.type.flatMap(DateType.init) ?? .received
    day = row.day.date.flatMap { Timestamp(dateOrTime: $0) }?.daysSince1970
  }
}
