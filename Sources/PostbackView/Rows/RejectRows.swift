internal import Analysis
internal import Base
internal import JSON
internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline
internal import SKAdNetwork
internal import Tables

/// A question about rejects: which of them, and which page of their rows.
struct RejectRows: Sendable {
  private var since: Int64?
  private var until: Int64?
  private let codes: Set<String>?
  /// The values that are accepted of a column; an empty text stands for null.
  private let values: [(column: ColumnName, accepted: Set<String>)]
  private let contains: [UInt8]?
  private let limit: Int
  private let cursor: RowCursorText?

  /// The names of the parameters.
  private static let names: Set<String> = [
    "since", "until", "code", "class", "stage", "forwarder", "network", "app", "contains", "limit", "cursor",
  ]

  /// Reads a query.
  init(_ parameters: ViewParameters, limit: Int, most: Int) throws(ViewDefect) {
    try parameters.allow(Self.names)
    since = try parameters.time("since")
    until = try parameters.time("until")
    let classes = parameters.all("class")
    for name in classes where RejectClass(rawValue: name) == nil {
      throw ViewDefect("class: The value must be one of copies, noise, suspicious.")
    }
    let named = parameters.all("code")
    var codes = named.isEmpty ? nil : Set(named)
    if !classes.isEmpty {
      let ofClasses = RejectCode.allCases.filter { classes.contains($0.rejectClass.rawValue) }.map(\.rawValue)
      codes = codes.map { $0.intersection(ofClasses) } ?? Set(ofClasses)
    }
    self.codes = codes
    let columns: [(String, ColumnName)] = [
      ("stage", .stage), ("forwarder", .forwarder), ("network", .adNetworkID), ("app", .appID),
    ]
    values = columns.compactMap { name, column in
      let accepted = parameters.all(name)
      return accepted.isEmpty ? nil : (column, Set(accepted))
    }
    contains = parameters["contains"].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    self.limit = try parameters.integer("limit", in: 1...most) ?? limit
    cursor = parameters["cursor"].flatMap(RowCursorText.init)
    if cursor == nil, parameters["cursor"] != nil { throw ViewDefect("cursor: The value must be that of next.") }
  }

  // MARK: - Counts

  /// Returns the numbers of rejects by code, without the text that they contain; nil if the counts of a report do not tell them.
  func counts(in cube: ReportCube) -> [(code: String, count: Int)]? {
    guard cube.leftOut == 0, !values.contains(where: { $0.column == .stage }) else { return nil }
    let day: Int64 = 86_400_000
    guard (since ?? 0) % day == 0, (until ?? 0) % day == 0 else { return nil }
    func accepted(_ column: ColumnName, _ all: [ReportCube.Value]) -> [Bool]? {
      guard let wanted = values.first(where: { $0.column == column })?.accepted else {
        return all.map { _ in true }
      }
      let named = Set(all.compactMap { if case .named(let name) = $0 { name } else { String?.none } })
      // The value may be among those that are counted together.
      if all.contains(.others), !wanted.subtracting([""]).isSubset(of: named) { return nil }
      return all.map { value in
        switch value {
        case .named(let name): wanted.contains(name)
        case .none: wanted.contains("")
        case .others: false
        }
      }
    }
    guard let forwarders = accepted(.forwarder, cube.dimensions.forwarders),
      let networks = accepted(.adNetworkID, cube.dimensions.networks), let apps = accepted(.appID, cube.dimensions.apps)
    else { return nil }
    var found: [String: Int] = [:]
    for (place, outcome, count) in cube.counts {
      guard let code = cube.outcomes[outcome].code, codes?.contains(code) ?? true, forwarders[place.forwarder],
        networks[place.network], apps[place.app]
      else { continue }
      if since != nil || until != nil {
        guard let received = place.day.map({ Int64($0) * day }), received >= since ?? .min, received < until ?? .max
        else {
          continue
        }
      }
      found[code, default: 0] += count
    }
    return found.map { ($0.key, $0.value) }.sorted { ($1.count, $0.code) < ($0.count, $1.code) }
  }

  // MARK: - Rows

  /// Returns a page of rows, the newest first.
  func page(
    of parts: [LookupPart],
    _ download: DownloadLimits? = nil
  ) async throws(PipelineFailure) -> RowPage<FoundRow> {
    let table = Table.rejects
    let (time, code) = (table.place(.receivedAt), table.place(.rejectCode))
    let (raw, base64) = (table.place(.rawBody), table.place(.rawBodyBase64))
    let conditions = values.map { (table.place($0.column), $0.accepted) }
    let columns = [time, code] + conditions.map(\.0) + (contains == nil ? [] : [raw, base64])
    let (since, until) = (since, until)
    return try await RowPage(
      of: parts,
      after: cursor,
      limit: limit,
      room: download?.room ?? RowPage<FoundRow>.room,
      patience: download?.patience ?? RowPage<FoundRow>.patience,
      isWanted: { part in
        guard let span = part.part.received else { return true }
        return (span.latest ?? span.newest) >= since ?? .min && span.oldest < until ?? .max
      },
      find: { part, end throws(PipelineFailure) in
        var places: [Int64] = []
        try await part.forEachRow(from: 0, only: columns) { row, place in
          guard place < end else { return false }
          if let codes, !codes.contains(row.text(code) ?? "") { return true }
          for (column, accepted) in conditions where !accepted.contains(row.text(column) ?? "") { return true }
          if since != nil || until != nil {
            guard let received = row.time(time), received >= since ?? .min, received < until ?? .max else {
              return true
            }
          }
          if let contains, !(row.rawBody(raw, base64: base64)?.holds(contains) ?? false) { return true }
          places.append(place)
          return true
        }
        return places
      },
      read: { part, places, room throws(PipelineFailure) in try await part.rows(at: places, room: room) }
    )
  }

  /// The columns of an answer, with the columns of the table.
  private static let columns: [(name: String, column: ColumnName)] = [
    ("received_at", .receivedAt), ("code", .rejectCode), ("stage", .stage), ("detail", .rejectDetail),
    ("network", .adNetworkID), ("app", .appID), ("forwarder", .forwarder), ("channel", .channel), ("version", .version),
    ("transaction_id", .transactionID), ("postback_key", .firstSeenPostbackKey), ("input", .sourceFile),
    ("line", .sourceLine),
  ]

  /// A row as JSON, with its raw bytes as text.
  static func json(_ row: FoundRow) -> JSONValue {
    var members = columns.map { JSONValue.Member($0.name, row[$0.column] ?? .null) }
    let code = row.text(.rejectCode).flatMap(RejectCode.init(rawValue:))
    members.insert(.init("class", .string((code?.rejectClass ?? .noise).rawValue)), at: 2)
    members.append(.init("raw", raw(row).map { .string($0) } ?? .null))
    return .object(members)
  }

  /// The raw bytes as text, in which bytes that are not UTF-8 are replaced.
  private static func raw(_ row: FoundRow) -> String? {
    if let body = row.text(.rawBody) { return body }
    guard let text = row.text(.rawBodyBase64) else { return nil }
    var bytes: [UInt8] = []
    return Base64.standard.decode(text.utf8.span, appendingTo: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Rows as CSV.
  static func csv(_ rows: [FoundRow]) -> [UInt8] {
    var csv = ViewCSV(columns.map(\.name) + ["raw"])
    for row in rows {
      var cells = columns.map { column -> (text: String, isText: Bool)? in
        row.text(column.column).map { (text: $0, isText: true) }
      }
      cells.append(raw(row).map { ($0, true) })
      csv.add(cells)
    }
    return csv.bytes
  }
}

extension [UInt8] {
  /// Tells if other bytes are among these, one after the other.
  func holds(_ other: [UInt8]) -> Bool {
    guard let first = other.first, other.count <= count else { return other.isEmpty }
    for start in 0...(count - other.count) where self[start] == first {
      if self[start..<(start + other.count)].elementsEqual(other) { return true }
    }
    return false
  }
}
