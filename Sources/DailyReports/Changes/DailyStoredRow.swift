internal import Base
internal import DurableFiles
internal import TableReading
internal import Tables

/// A row of `skan_daily` as bytes, for the comparison of two reports.
struct DailyStoredRow: Sendable {
  /// The day of the row.
  let position: DailyPosition
  /// The conversion window.
  let window: Int64
  /// The number of postbacks.
  let postbacks: Int64
  /// Indicates that the row has a cost.
  let hasCost: Bool
  /// The cells that only the rows of the windows of one group share: the day, the dimensions, and the level of a cost that is not
  /// divided.
  let group: DailyKeyBytes
  /// The cells of `DailyStoredRows.metrics`.
  let metrics: DailyKeyBytes
  /// The cells of the columns that `skan_daily_changes` has too, in the order of its columns.
  let key: DailyKeyBytes

  /// The group and the window, which no two rows share.
  struct Identity: Hashable {
    let group: DailyKeyBytes
    let window: Int64
  }

  var identity: Identity { Identity(group: group, window: window) }
}

/// Reads rows of `skan_daily`.
struct DailyStoredRows {
  /// The columns whose changes are recorded: the counts and the amounts. Ratios follow from them, the state of a day
  /// changes with time alone, and each postback changes the modelled numbers of all days. What devices confirm is not
  /// recorded, because tables of earlier versions do not have it.
  static let metrics: [ColumnName] =
    (Column.dailyCounts + Column.dailyRevenue + Column.dailyTrust + Column.dailyCost)
    .filter { $0.isMetric && $0.name != .confirmedRevenue }.map(\.name)
  /// The columns that a change has in common with its row.
  static let key = Column.dailyKeys.map(\.name) + [.costLevel]

  private static let metricPlaces = metrics.map(Table.daily.place)
  private static let keyPlaces = key.map(Table.daily.place)
  private static let groupPlaces: [Int] = {
    let others = DailyName.allCases.map(\.column) + [.postbackSequenceIndex, .costLevel]
    return key.filter { !others.contains($0) }.map(Table.daily.place)
  }()

  private static let datePlace = Table.daily.place(.date)
  private static let typePlace = Table.daily.place(.dateType)
  private static let windowPlace = Table.daily.place(.postbackSequenceIndex)
  private static let postbacksPlace = Table.daily.place(.postbacks)
  private static let costLevelPlace = Table.daily.place(.costLevel)

  /// Returns the rows of a batch in order. A line that is not a row is passed over.
  static func read(_ batch: RowBatch) -> [DailyStoredRow] {
    var cursor = RowCursor(batch, of: .daily)
    var rows: [DailyStoredRow] = []
    rows.reserveCapacity(batch.rows.count)
    // Rows of a day stand together.
    var date: (text: String?, day: Int64?) = (nil, nil)
    while cursor.next() {
      let text = cursor.text(datePlace)
      if text != date.text { date = (text, text.flatMap { Timestamp(dateOrTime: $0) }?.daysSince1970) }
      let type: DateType = cursor.has(DateType.install.rawValue, in: typePlace) ? .install : .received
      rows.append(
        DailyStoredRow(
          position: DailyPosition(type: type, day: date.day),
          window: cursor.integer(windowPlace) ?? 0,
          postbacks: cursor.integer(postbacksPlace) ?? 0,
          hasCost: cursor.text(costLevelPlace) != nil,
          group: group(cursor),
          metrics: bytes(metricPlaces, of: cursor),
          key: bytes(keyPlaces, of: cursor)
        )
      )
    }
    return rows
  }

  /// A row is the same one before and after a cost is joined to it.
  private static func group(_ cursor: borrowing RowCursor) -> DailyKeyBytes {
    var bytes = bytes(groupPlaces, of: cursor)
    let undivided = DailyCost.Level.parent.rawValue
    bytes.append(cursor.has(undivided, in: costLevelPlace) ? undivided : nil)
    return bytes
  }

  private static func bytes(_ places: [Int], of cursor: borrowing RowCursor) -> DailyKeyBytes {
    var bytes = DailyKeyBytes()
    for place in places { bytes.append(place, of: cursor) }
    return bytes
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
    return rows.first?.position
  }

  /// Returns all rows of the next day.
  mutating func nextDay() throws(FileFailure) -> [DailyStoredRow] {
    guard let first = try position() else { return [] }
    var day: [DailyStoredRow] = []
    while try position() == first, let row = rows.popFirst() { day.append(row) }
    return day
  }
}
