internal import Analysis
internal import Answers
internal import JSON
internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline
internal import ReportPages
internal import SKAdNetwork
internal import Tables

/// A question about rejects: which of them, and which page of their rows.
struct RejectRows: Sendable {
  /// The limits of the time of receipt, in milliseconds since 1970; nil for none.
  let since: Int64?
  let until: Int64?
  /// The codes; nil for all.
  let codes: Set<String>?
  /// The values that are accepted of a column; an empty text stands for null.
  let values: [(column: ColumnName, accepted: Set<String>)]
  private let contains: [UInt8]?
  private let request: PageRequest

  /// Indicates that the page is the first one.
  var isFirstPage: Bool { request.cursor == nil }

  /// The names of the parameters.
  private static let names: Set<String> = [
    "since", "until", "code", "class", "stage", "forwarder", "network", "app", "contains", "limit", "cursor",
  ]

  /// Reads a query.
  init(_ parameters: ViewParameters, isDownload: Bool = false) throws(ViewDefect) {
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
    var conditions = values.compactMap { column, accepted -> String? in
      guard column != .stage, accepted.count == 1, let value = accepted.first else { return nil }
      return CaseRequest.condition(column.rawValue, is: value)
    }
    if named.count == 1 { conditions.append(CaseRequest.condition(ColumnName.rejectCode.rawValue, is: named[0])) }
    caseOffer = CaseOffer(conditions: conditions, since: since, until: until)
    contains = parameters["contains"].flatMap { $0.isEmpty ? nil : Array($0.utf8) }
    request = try PageRequest(parameters, isDownload: isDownload)
  }

  /// The case that is offered beside the rows: of the sender, the app, the code and the time, as far as they are chosen. A case is about all
  /// outcomes of its records, so that a class, a stage and a text choose nothing in it.
  let caseOffer: CaseOffer

  /// Tells for each value of a column if the question takes it; nil if a value that it takes is among those that are counted together.
  func accepted(_ column: ColumnName, among all: [ReportCube.Value]) -> [Bool]? {
    guard let wanted = values.first(where: { $0.column == column })?.accepted else { return all.map { _ in true } }
    let named = Set(all.compactMap { if case .named(let name) = $0 { name } else { String?.none } })
    if all.contains(.others), !wanted.subtracting([""]).isSubset(of: named) { return nil }
    return all.map { value in
      switch value {
      case .named(let name): wanted.contains(name)
      case .none: wanted.contains("")
      case .others: false
      }
    }
  }

  // MARK: - Rows

  /// Returns a page of rows, the newest first.
  func page(of parts: [LookupPart]) async throws(PipelineFailure) -> RowPage<FoundRow> {
    let table = Table.rejects
    let (time, code) = (table.place(.receivedAt), table.place(.rejectCode))
    let (raw, base64) = (table.place(.rawBody), table.place(.rawBodyBase64))
    let conditions = values.map { (table.place($0.column), $0.accepted) }
    let columns = [time, code] + conditions.map(\.0) + (contains == nil ? [] : [raw, base64])
    let (since, until) = (since, until)
    return try await RowPage(
      of: parts,
      request,
      isWanted: { part in
        guard let span = part.part.received else { return true }
        return (span.latest ?? span.newest) >= since ?? .min && span.oldest < until ?? .max
      },
      find: { part, end throws(PipelineFailure) in
        var places: [Int64] = []
        try await part.forEachStandingRow(from: 0, only: columns) { row, place in
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
    members.append(.init("raw", .text(raw(row))))
    return .object(members)
  }

  /// The raw bytes as text, in which bytes that are not UTF-8 are replaced.
  private static func raw(_ row: FoundRow) -> String? { row.raw.map { String(decoding: $0, as: UTF8.self) } }

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
