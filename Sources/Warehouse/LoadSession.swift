internal import Base
internal import DurableFiles
internal import Ledger
internal import Tables

/// The work of a loader over one connection.
final class LoadSession {
  let connection: DatabaseConnection
  let source: Loader.Source
  private let target: Loader.Target
  private let output: OutputID
  let cursors: LoadCursors
  let points: LoadPoints
  private let jobs: Int
  /// The positions up to which the database has the tables that grow.
  private(set) var positions: [String: TableCursor] = [:]
  /// Indicates that new rows are copied into the tables themselves. This fails where a postback has come twice, because its id was
  /// compacted away, and where the cursors are older than the tables, as after a backup of them was restored.
  private var copiesDirectly = true

  /// The parts of each table that need no more checks of their bytes.
  private let checkedParts: [String: CheckedParts]

  /// The name of the database and its schema among the followers of the output.
  var followerName: String { "postgresql \(connection.place) \(target.schema)" }

  /// The number of bytes of a table after which a transaction ends.
  private static let sliceBytes = 32 << 20
  /// The number of bytes of a table that are encoded at once.
  private static let batchBytes = 1 << 19

  init(
    _ source: Loader.Source,
    _ target: Loader.Target,
    _ output: OutputID,
    jobs: Int,
    stop: @escaping (Duration) -> Bool
  ) throws(LoadFailure) {
    (self.source, self.target, self.output, self.jobs) = (source, target, output, jobs)
    (cursors, points) = (LoadCursors(schema: target.schema), LoadPoints(schema: target.schema))
    checkedParts = Dictionary(uniqueKeysWithValues: source.appended.map { ($0.name, CheckedParts()) })
    connection = try DatabaseConnection(target.address, stop: stop)
    try connection.execute(
      """
      SET lock_timeout = '30s'; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
      SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET client_min_messages = 'error'; SET temp_buffers = '64MB';
      """,
      doing: "the settings of the session"
    )
    // Tables that the output does not have stay empty, so that queries over all of them work.
    try LoadPreparation(connection: connection, schema: target.schema, migrates: target.migrates)
      .prepare(source.appended.map(loaded), source.derived.map(loaded), for: output)
    let found = try cursors.positions(on: connection)
    for table in source.appended {
      positions[table.name] = found[table.name].flatMap { TableCursor($0) } ?? TableCursor(startOf: table)
    }
  }

  func loaded(_ table: Table) -> LoadedTable { LoadedTable(table: table, schema: target.schema) }

  // MARK: - Tables that grow

  /// Loads the next rows of all tables that grow, in one transaction. Returns nil if there are none.
  ///
  /// Of the tables in `reloaded` it first takes back the rows that the output does not have, and then loads all of their rows.
  func append(reloading reloaded: [Table] = []) async throws(LoadFailure) -> LoadTally? {
    try await pastKnownKeys { () async throws(LoadFailure) in try await appendSlice(reloading: reloaded) }
  }

  /// Runs a transaction that copies rows, and once more past rows that are there if it meets one.
  private func pastKnownKeys(
    _ transaction: () async throws(LoadFailure) -> LoadTally?
  ) async throws(LoadFailure) -> LoadTally? {
    do throws(LoadFailure) { return try await transaction() } catch {
      guard copiesDirectly, case .database(let failure) = error, failure.isOfKnownKey else { throw error }
    }
    copiesDirectly = false
    try connection.execute("ROLLBACK", doing: "rows that are there already")
    return try await transaction()
  }

  private func appendSlice(reloading reloaded: [Table]) async throws(LoadFailure) -> LoadTally? {
    var tally = LoadTally()
    var hasRows = false
    var moved: [String: TableCursor] = [:]
    try connection.execute("BEGIN", doing: "a transaction")
    for table in source.appended {
      let (found, isLater) = try cursors.lock(table.name, on: connection)
      let isReloaded = reloaded.contains { $0.name == table.name }
      let position = isReloaded ? try rewind(table, from: found, &tally[table.name]) : found
      if position.isEmpty, try holdsRows(table) { throw .database(.unknownRows(of: table, reloading: source.appended)) }
      let cursor = TableCursor(position)
      guard position.isEmpty || cursor != nil else { throw .database(.unreadable(position, of: table)) }
      var feed = TableFeed(table, in: source.output, state: source.state, after: cursor)
      feed.batchBytes = Self.batchBytes
      feed.readsMaskedRows = true
      feed.checkedParts = checkedParts[table.name]
      feed.advice = """
        Load what differs again with --reload \(source.appended.map(\.name).joined(separator: ",")): rows that this output \
        does not have are removed from the database
        """
      let rows = feed.mapConcurrently(jobs) { element throws(FileFailure) in
        LoadedBatch(
          rows: try CopyRows(element.rows, of: table),
          removals: element.removals,
          missed: element.missed,
          masked: try element.masked.map { row throws(FileFailure) in try MaskedCopy(row, of: table) },
          mark: element.cursor
        )
      }
      let end = try await copy(rows, into: table, upTo: isReloaded ? .max : Self.sliceBytes, &tally[table.name])
      guard end != nil || position != found else { continue }
      try cursors.move(table.name, to: end?.description ?? position, on: connection)
      if let end { try points.note(end.description, of: table.name, isLater: isLater, on: connection) }
      moved[table.name] = end ?? cursor ?? TableCursor(startOf: table)
      hasRows = true
    }
    try connection.execute(hasRows ? "COMMIT" : "ROLLBACK", doing: "the rows")
    positions.merge(moved) { $1 }
    return hasRows || !reloaded.isEmpty ? tally : nil
  }

  // MARK: - Tables that are replaced

  /// Replaces tables by their versions, all in one transaction, except those that are loaded already. Returns nil, with
  /// nothing changed, if there are other versions meanwhile.
  func replace(_ versions: [DerivedVersion]) async throws(LoadFailure) -> LoadTally? {
    try await pastKnownKeys { () async throws(LoadFailure) in try await replaceAll(versions) }
  }

  private func replaceAll(_ versions: [DerivedVersion]) async throws(LoadFailure) -> LoadTally? {
    var tally = LoadTally()
    try connection.execute("BEGIN", doing: "a transaction")
    for version in versions {
      guard try cursors.lock(version.table.name, on: connection).position != version.text else { continue }
      do {
        try await replace(version, &tally[version.table.name])
      } catch .file(let failure) {
        guard try Loader.reading({ () throws(FileFailure) in try version.isCurrent() }) else {
          try connection.execute("ROLLBACK", doing: "an old version")
          return nil
        }
        throw .file(failure)
      }
    }
    for version in versions {
      guard try Loader.reading({ () throws(FileFailure) in try version.isCurrent() }) else {
        try connection.execute("ROLLBACK", doing: "an old version")
        return nil
      }
    }
    try connection.execute("COMMIT", doing: "the derived tables")
    return tally
  }

  private func replace(_ version: DerivedVersion, _ count: inout LoadTally.Count) async throws(LoadFailure) {
    let table = version.table
    let setsAside = try setAside(table)
    try connection.execute("DELETE FROM \(loaded(table).name)", doing: "the removal of the old rows of \(table.name)")
    let rows = StoredBatches(table: table, output: version.output).mapConcurrently(jobs) { batch throws(FileFailure) in
      LoadedBatch(rows: try CopyRows(batch, of: table), removals: [], missed: UnreadRows(), masked: [], mark: ())
    }
    _ = try await copy(rows, into: table, upTo: .max, &count)
    if setsAside { try connection.execute(loaded(table).takingBack, doing: "the older rows of \(table.name)") }
    try cursors.move(table.name, to: version.text, on: connection)
    count.replacements += 1
  }

  /// Sets the rows of a table aside that are of postbacks which the database alone may still have, because `retain` has removed them.
  /// Returns false if there are none.
  private func setAside(_ table: Table) throws(LoadFailure) -> Bool {
    guard table.columnNames.contains(ColumnName.postbackKey.rawValue),
      let postbacks = source.appended.first(where: { $0.name == Table.postbacks.name }),
      let end = try Loader.reading({ () throws(FileFailure) in
        try Ledger.retention(source.state, ofTable: Table.postbacks.name)
      })
    else { return false }
    let statement = loaded(table).settingAside(of: loaded(postbacks), before: Timestamp(milliseconds: end))
    try connection.execute(statement, doing: "the older rows of \(table.name)")
    return true
  }

  // MARK: - Rows

  /// Copies rows into a table, up to about a number of bytes. Returns the mark of the last rows; nil if there are none.
  private func copy<Rows: AsyncSequence, Mark>(
    _ rows: Rows,
    into table: Table,
    upTo byteCount: Int,
    _ count: inout LoadTally.Count
  ) async throws(LoadFailure) -> Mark? where Rows.Element == LoadedBatch<Mark>, Rows.Failure == FileFailure {
    let loaded = loaded(table)
    var last: Mark?
    var sent = 0
    var isCopying = false
    var iterator = rows.makeAsyncIterator()
    do throws(LoadFailure) {
      while sent < byteCount, let batch = try await Self.next(&iterator) {
        last = batch.mark
        if !batch.removals.isEmpty {
          if isCopying { try endCopy(into: loaded, directly: copiesDirectly, &count) }
          isCopying = false
          count.removed += try remove(batch.removals, from: loaded)
          count.masked += try replace(batch.masked, in: loaded)
        }
        count.missed += batch.missed
        guard batch.rows.rowCount > 0 else { continue }
        if !isCopying {
          try beginCopy(into: loaded, directly: copiesDirectly)
          isCopying = true
        }
        try connection.put(batch.rows.bytes)
        sent += batch.rows.bytes.count
      }
    } catch {
      if case .file = error, isCopying { try connection.abandonCopy() }
      throw error
    }
    if isCopying { try endCopy(into: loaded, directly: copiesDirectly, &count) }
    return last
  }

  /// Begins a copy of rows, which `endCopy` with the same `directly` ends: into the table, or past rows that are there.
  func beginCopy(into loaded: LoadedTable, directly: Bool = false) throws(LoadFailure) {
    let task = "the rows of \(loaded.table.name)"
    if !directly, loaded.table.key != nil { try beginStaging(of: loaded) }
    try connection.execute(directly ? loaded.directCopy : loaded.copy, doing: task)
    try connection.put(CopyRows.start)
  }

  /// Makes the staging table, without rows.
  func beginStaging(of loaded: LoadedTable) throws(LoadFailure) {
    try connection.execute(loaded.staging, doing: "a temporary table")
    try connection.execute(loaded.emptying, doing: "the rows of \(loaded.table.name)")
  }

  func endCopy(
    into loaded: LoadedTable,
    directly: Bool = false,
    _ count: inout LoadTally.Count
  ) throws(LoadFailure) {
    let task = "the rows of \(loaded.table.name)"
    try connection.put(CopyRows.end)
    let copied = try connection.endCopy(doing: task)
    var inserted = copied
    if !directly, let insertion = loaded.insertion { inserted = try connection.run(insertion, doing: task).changeCount }
    count.loaded += inserted
    count.present += copied - inserted
  }

  private static func next<Iterator: AsyncIteratorProtocol>(
    _ iterator: inout Iterator
  ) async throws(LoadFailure) -> Iterator.Element? where Iterator.Failure == FileFailure {
    do throws(FileFailure) { return try await iterator.next(isolation: nil) } catch { throw .file(error) }
  }
}

extension DatabaseFailure {
  /// A table has rows, and no position tells which.
  fileprivate static func unknownRows(of table: Table, reloading tables: [Table]) -> DatabaseFailure {
    DatabaseFailure(
      .configuration,
      "The table \(table.name) of the database has rows, and \(LoadCursors.name) has no position behind them",
      advice: """
        Restore \(LoadCursors.name), or give --reload \(tables.map(\.name).joined(separator: ",")): rows that cannot be told to \
        be of this output are removed and loaded again
        """
    )
  }

  /// The cursor of a table is no text of a cursor.
  fileprivate static func unreadable(_ position: String, of table: Table) -> DatabaseFailure {
    DatabaseFailure(
      .configuration,
      "\(LoadCursors.name) has no cursor of \(table.name) but \(position)",
      advice: "A newer version of postback may have written it: use that version"
    )
  }
}
