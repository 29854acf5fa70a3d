internal import Base
internal import CampaignEnrichment
internal import CopySettlement
internal import DailyReports
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline
internal import PostbackVerification
internal import Tables

/// A question about the accepted postbacks behind a sum of campaigns.
struct CampaignRows: Sendable {
  /// The values of a column that are accepted.
  private struct Condition: Sendable {
    let place: Int
    var wanted: Set<String?> = []
    var unwanted: Set<String?> = []

    func accepts(_ text: String?) -> Bool { (wanted.isEmpty || wanted.contains(text)) && !unwanted.contains(text) }
  }

  /// The cells of derived tables for a postback.
  private struct Known: Sendable {
    var campaign: FoundValues?
    var settled: FoundValues?
  }

  private let query: CampaignQuery
  private let request: PageRequest
  private var ofEnriched: [Condition] = []
  private var ofSettled: [Condition] = []
  private var ofPostbacks: [Condition] = []

  /// Reads a query.
  init(_ parameters: ViewParameters, isDownload: Bool = false) throws(ViewDefect) {
    try parameters.allow(["where", "since", "until", "date_type", "window", "limit", "cursor"])
    query = try CampaignQuery(parameters.without(["limit", "cursor"]), DailyDimension.allCases, limit: nil)
    request = try PageRequest(parameters, isDownload: isDownload)
    for condition in query.conditions {
      guard let (table, place) = Self.column(of: condition.dimension) else {
        throw ViewDefect("where: Postbacks cannot be selected by \(condition.dimension.column.rawValue).")
      }
      switch table.name {
      case Table.enriched.name: Self.add(condition, place, to: &ofEnriched)
      case Table.settled.name: Self.add(condition, place, to: &ofSettled)
      default: Self.add(condition, place, to: &ofPostbacks)
      }
    }
  }

  /// The column that a condition on a dimension is about, and its table; nil if there is none.
  private static func column(of dimension: DailyDimension) -> (table: Table, place: Int)? {
    let name = dimension.column.rawValue
    let columns: [(table: Table, name: String)] =
      (campaignColumns.contains(name) ? [(.enriched, name)] : [])
      + [(.settled, "effective_\(name)"), (.settled, name), (.postbacks, name)]
    return columns.lazy.compactMap { table, name in table.position(of: name).map { (table, $0) } }.first
  }

  /// Tells if a snapshot has a derived table; `skan_postbacks` is always there.
  private static func has(_ table: Table, _ snapshot: DerivedSnapshot?) throws(FileFailure) -> Bool {
    if table.name == Table.postbacks.name { return true }
    guard let snapshot else { return false }
    return try DurableFolder("\(snapshot.folder)/\(table.name)").byteCount(of: ".") != nil
  }

  /// The dimensions by which postbacks can be selected with the derived tables of a snapshot.
  static func dimensions(with snapshot: DerivedSnapshot?) throws(FileFailure) -> [String] {
    var found: [String] = []
    for dimension in DailyDimension.allCases {
      if let (table, _) = column(of: dimension), try has(table, snapshot) { found.append(dimension.column.rawValue) }
    }
    return found
  }

  /// Throws a defect if a condition is about a derived table that a snapshot does not have. `options` follow its command.
  func needTables(of snapshot: DerivedSnapshot?, output: String, options: String) throws {
    for condition in query.conditions {
      guard let (table, _) = Self.column(of: condition.dimension), try !Self.has(table, snapshot) else { continue }
      let command = table.name == Table.enriched.name ? "enrich" : "settle"
      throw ViewDefect(
        """
        where: Postbacks cannot be selected by \(condition.dimension.column.rawValue), because the output has no \(table.name). Make it \
        with: postback \(command) \(output.quotedForShell)\(command == "enrich" ? " --lookups DIR" : "")\(options)
        """
      )
    }
  }

  private static let campaignColumns = ["network_name", "campaign_id", "adgroup_id", "creative_id", "country"]

  private static func add(_ condition: CampaignQuery.Condition, _ place: Int, to conditions: inout [Condition]) {
    let index = conditions.firstIndex { $0.place == place } ?? conditions.count
    if index == conditions.count { conditions.append(Condition(place: place)) }
    if condition.isNegated {
      conditions[index].unwanted.insert(condition.value)
    } else {
      conditions[index].wanted.insert(condition.value)
    }
  }

  // MARK: - Rows

  /// The columns of an answer that every output has, and those of derived tables.
  private static let ofPostback: [(name: String, column: ColumnName)] = [
    ("postback_key", .postbackKey), ("transaction_id", .transactionID), ("received_at", .receivedAt),
    ("app_id", .appID),
    ("ad_network_id", .adNetworkID), ("version", .version), ("window", .postbackSequenceIndex), ("did_win", .didWin),
    ("channel", .channel), ("forwarder", .forwarder),
  ]
  private static let ofCampaign = ["network_name", "campaign_id", "campaign_name", "country"]
  private static let ofSettlement = [
    "effective_conversion_value", "effective_coarse_conversion_value", "effective_estimated_install_date",
    "effective_revenue", "effective_currency",
  ]

  /// The names of the columns of an answer.
  static func columns(seesRevenue: Bool) -> [String] {
    ofPostback.map(\.name) + ofCampaign + ["value", "coarse_value", "install_date"]
      + (seesRevenue ? ["revenue", "currency"] : [])
  }

  /// Returns a page of rows, the newest first.
  func page(
    of parts: [LookupPart],
    _ snapshot: DerivedSnapshot?,
    seesRevenue: Bool
  ) async throws(PipelineFailure) -> RowPage<[JSONValue.Member]> {
    let (enriched, settled) = try PipelineFailure.state { () throws(FileFailure) in
      func parts(_ table: Table) throws(FileFailure) -> [LookupPart] {
        guard let snapshot, try Self.has(table, snapshot) else { return [] }
        return try LookupPart.complete(of: table, in: snapshot.folder)
      }
      return (try parts(.enriched), try parts(.settled))
    }
    var known: [PostbackKey: Known] = [:]
    var kept: [Int64: PostbackKey] = [:]
    return try await RowPage(
      of: parts,
      request,
      isWanted: isWanted,
      find: { part, end throws(PipelineFailure) in
        known = try await self.known(
          enriched.first { $0.part.number == part.part.number },
          settled.first { $0.part.number == part.part.number }
        )
        let found = try await places(in: part, before: end, known)
        kept = Dictionary(uniqueKeysWithValues: found.suffix(request.limit).map { ($0.place, $0.key) })
        return found.map(\.place)
      },
      read: { part, places, room throws(PipelineFailure) in
        let found = try await part.rows(at: places, room: room)
        let rows = zip(found.rows, places.suffix(found.rows.count)).map { row, place in
          Self.members(row, kept[place].flatMap { known[$0] }, seesRevenue: seesRevenue)
        }
        return (rows, found.bytes)
      }
    )
  }

  /// Tells if a part may have postbacks of the days that are asked for. Apple sends the last one 41 days after the install at most,
  /// and again for 9 days.
  private func isWanted(_ part: LookupPart) -> Bool {
    guard let span = part.part.received else { return true }
    let day: Int64 = 86_400_000
    if let since = query.since, (span.latest ?? span.newest) < Int64(since) * day { return false }
    guard let until = query.until else { return true }
    return span.oldest < (Int64(until) + (query.isInstall ? 60 : 0)) * day
  }

  /// Reads what the derived rows of a part tell of the postbacks that the conditions accept.
  private func known(
    _ enriched: LookupPart?,
    _ settled: LookupPart?
  ) async throws(PipelineFailure) -> [PostbackKey: Known] {
    var known: [PostbackKey: Known] = [:]
    if let enriched {
      let reader = ValueReader(.enriched, Self.ofCampaign)
      let conditions = ofEnriched
      try await enriched.forEachRow(from: 0, only: reader.columns + conditions.map(\.place)) { row, _ in
        guard let key = row.key(reader.key) else { return true }
        for condition in conditions where !condition.accepts(row.text(condition.place)) { return true }
        known[key] = Known(campaign: reader.values(row))
        return true
      }
    }
    if let settled {
      let reader = ValueReader(.settled, Self.ofSettlement)
      let conditions = ofSettled
      let needsCampaign = !ofEnriched.isEmpty
      try await settled.forEachRow(from: 0, only: reader.columns + conditions.map(\.place)) { row, _ in
        guard let key = row.key(reader.key) else { return true }
        for condition in conditions where !condition.accepts(row.text(condition.place)) {
          known[key] = nil
          return true
        }
        if needsCampaign, known[key] == nil { return true }
        known[key, default: Known()].settled = reader.values(row)
        return true
      }
    }
    return known
  }

  private func places(
    in part: LookupPart,
    before end: Int64,
    _ known: [PostbackKey: Known]
  ) async throws(PipelineFailure) -> [(place: Int64, key: PostbackKey)] {
    let table = Table.postbacks
    let (key, window, received) = (
      table.place(.postbackKey), table.place(.postbackSequenceIndex), table.place(.receivedAt)
    )
    let (conditions, query) = (ofPostbacks, query)
    let estimated = table.position(of: "estimated_install_date")
    let (needsCampaign, needsSettled) = (!ofEnriched.isEmpty, !ofSettled.isEmpty)
    var found: [(place: Int64, key: PostbackKey)] = []
    let columns = [key, window, received] + (estimated.map { [$0] } ?? []) + conditions.map(\.place)
    try await part.forEachRow(from: 0, only: columns) { row, place in
      guard place < end else { return false }
      guard let postback = row.key(key) else { return true }
      let facts = known[postback]
      // Newer postbacks may be in one of the derived tables, or in none.
      if needsCampaign && facts?.campaign == nil || needsSettled && facts?.settled == nil { return true }
      if let wanted = query.window, row.integer(window) ?? 0 != Int64(wanted) { return true }
      for condition in conditions where !condition.accepts(row.text(condition.place)) { return true }
      if query.since != nil || query.until != nil {
        var time = query.isInstall ? facts?.settled?["effective_estimated_install_date"] : row.text(received)
        if query.isInstall, time == nil, let estimated { time = row.text(estimated) }
        guard let day = time.flatMap({ Timestamp($0) })?.daysSince1970, day >= query.since.map(Int64.init) ?? .min,
          day < query.until.map(Int64.init) ?? .max
        else { return true }
      }
      found.append((place, postback))
      return true
    }
    return found
  }

  private static func members(_ row: FoundRow, _ known: Known?, seesRevenue: Bool) -> [JSONValue.Member] {
    var members = ofPostback.map { JSONValue.Member($0.name, row[$0.column] ?? .null) }
    func add(_ name: String, _ value: String?, isNumber: Bool = false) {
      members.append(.init(name, value.map { isNumber ? .number($0) : .string($0) } ?? .null))
    }
    for name in ofCampaign { add(name, known?.campaign?[name]) }
    /// The value of the copy that decides, also if it has none; that of the first copy if copies were not compared.
    func decided(_ name: String, else first: ColumnName) -> String? {
      if let settled = known?.settled { settled[name] } else { row.text(first) }
    }
    add("value", decided("effective_conversion_value", else: .conversionValue), isNumber: true)
    add("coarse_value", decided("effective_coarse_conversion_value", else: .coarseConversionValue))
    let estimated = decided("effective_estimated_install_date", else: .estimatedInstallDate)
    add("install_date", estimated.map { String($0.prefix(10)) })
    guard seesRevenue else { return members }
    add("revenue", decided("effective_revenue", else: .revenue))
    add("currency", decided("effective_currency", else: .currency))
    return members
  }

  /// Rows as CSV.
  static func csv(_ rows: [[JSONValue.Member]], seesRevenue: Bool) -> [UInt8] {
    var csv = ViewCSV(columns(seesRevenue: seesRevenue))
    for row in rows {
      csv.add(
        row.map { member in
          switch member.value {
          case .null: nil
          case .string(let text): (text: text, isText: member.key != "revenue")
          case let other: (text: other.description, isText: false)
          }
        }
      )
    }
    return csv.bytes
  }
}

/// Some values of a row, by the names of their columns.
private struct FoundValues: Sendable {
  let names: [String]
  let texts: [String?]

  subscript(name: String) -> String? { names.firstIndex(of: name).flatMap { texts[$0] } }
}

/// A reader of some values of the rows of a derived table.
private struct ValueReader {
  let key: Int
  private let names: [String]
  private let places: [Int]

  init(_ table: Table, _ names: [String]) {
    key = table.place(.postbackKey)
    let known = names.compactMap { name in table.position(of: name).map { (name, $0) } }
    (self.names, places) = (known.map(\.0), known.map(\.1))
  }

  var columns: [Int] { [key] + places }

  func values(_ row: borrowing RowCursor) -> FoundValues {
    var texts: [String?] = []
    for place in places { texts.append(row.text(place)) }
    return FoundValues(names: names, texts: texts)
  }
}

extension Table {
  /// The place of a column with a name; nil if there is none.
  fileprivate func position(of name: String) -> Int? { columns.firstIndex { $0.name.rawValue == name } }
}
