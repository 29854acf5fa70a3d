internal import DerivedTables
internal import Base
internal import CopySettlement
internal import DurableFiles
internal import ImportedRows
internal import JSON
internal import Ledger
internal import PostbackService
internal import SearchAds
internal import SearchAdsReports
internal import Spool
internal import Tables

/// `postback retain`: removes what is older than it is to be kept.
struct RetainCommand: Command {
  struct Options: OptionGroup {
    let output = StateOptions.output.values(.text)
    let age = Option("--older-than AGE", "The age from which rows are removed: days, such as 400d.").value(.days())
    let tables = Option(
      "--tables LIST",
      "The tables, joined by commas; default all of them, asa_attributions and skan_imported."
    )
    .value(.tables(among: removableTables), else: removableTables.map(\.name))
    let isWithoutWaiting = RemovalOptions.withoutWaiting.isGiven
    let spool = Option("--spool SPOOL", "Remove old files in done and failed of this spool too.").value(.text)
    let archive = Option("--archive DIR", "Copy each part to this folder before it is removed.").value(.folder)
    let state = StateOptions.state.value(.text)
    let guards = RemovalOptions()
    let printsJSON = Option.json(
      "Print JSON: {\"before\":…,\"parts\":…,\"rows\":…,\"bytes\":…,\"kept_rows\":…,\"spool_files\":…,\"asa_rows\":…,\"imported_rows\":…,\"waiting\":[…],\"missing\":[…]}."
    )

    private static let removableTables = Table.all + [.searchAdsAttributions, .imported]
  }

  static let manual = Manual(
    name: "retain",
    summary: "Remove the parts of the tables, and the files of a spool, that are older than they are to be kept.",
    usage: """
      --out DIR --older-than AGE [--tables LIST] [--spool SPOOL] [--archive DIR] [--without-waiting] [--state DIR] \
      [--yes-remove-all] [--trust-clock] [--json]
      """,
    discussion: """
      Removes each part in which all rows were received more than AGE ago; a part with a later row stays as a whole, and so
      does one that a follower has not read (postback state followers), unless --without-waiting is given. Of an old part those
      rows stay that still count: a reject that is a copy of a postback in skan_postbacks, because settle decides with it, and
      a postback for which a copy decides that is not as old, by skan_settled of OUT. They go when their reason has gone. The
      ids of the postbacks stay in the state, so a later copy is still a duplicate. The state records what was removed:
      state check stays sound, and daily keeps the results of the days that are gone. With --spool, files in SPOOL/done and
      SPOOL/failed that were put away more than AGE ago are removed too. Of asa_attributions, its journal and skan_imported each
      row of a whole day goes that is older; rows without a time stay, and attributions wait until daily has counted them. The next
      load postgres removes these from the database too, and those of the other tables stay there. Other derived tables stay as
      they are. An interruption at any time removes a part as a whole or not at all. Stop the consumer of the state first, or let
      it do this itself (watch --retain).
      With --archive each part is first copied, durably, into the folder of its table in DIR, such as on a larger disk, and
      any share of the rows goes. asa_attributions and skan_imported stay then. Rows that stay are in the copy of their part; when
      they go too, retain finds them there and adds nothing. forget does not search an archive.
      A wrong clock makes everything too old. So nothing is removed if more than 20 % of the rows of a table, or of the files,
      would go and the last removal ended more than eight days before this one, or if the clock is more than a day and a half from the
      last time at which it was believed.
      Exit status: 0; 1 nothing was removed, for one of these reasons; 64 usage, 65 the state or a part is damaged, or DIR has other rows in a part of the same name, 66 there is no state, 73 a folder cannot be made, 74 I/O, 75 another process uses it.
      """,
    options: Options.options,
    example: "postback retain --out out --older-than 400d"
  )

  private let options: Options
  private let output: String
  private let folder: String
  private let now = Timestamp.now
  private let before: Timestamp
  private let tables: [String]
  private let removesAttributions: Bool
  private let removesImports: Bool
  private var spool: String? { options.spool }
  private var archive: String? { options.archive }
  private var removesAll: Bool { options.guards.removesAll }
  private var trustsClock: Bool { options.guards.trustsClock }

  /// The parts that were removed, and those that were not, with the reasons.
  private struct Removed {
    var parts: [LedgerPart] = []
    /// The number of rows of these parts that stay.
    var keptRows: Int64 = 0
    var missing: [String] = []
    var waiting: [String: TableRetention.Waiting] = [:]
  }

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    output = try StateOptions.output(arguments, options.output, orAdvise: "Name it with --out.")
    folder = try StateOptions.folder(options.state, of: output)
    guard let age = options.age else {
      throw CommandFailure(.usage, "No age is given. Give --older-than, such as 400d.")
    }
    before = Timestamp(milliseconds: now.milliseconds - Int64(age / .milliseconds(1)))
    removesAttributions = options.archive == nil && options.tables.contains(Table.searchAdsAttributions.name)
    removesImports = options.archive == nil && options.tables.contains(Table.imported.name)
    tables = options.tables.filter { ![Table.searchAdsAttributions.name, Table.imported.name].contains($0) }
  }

  func run() async throws {
    var removed = Removed()
    var files = 0
    var (attributions, imports) = (0, 0)
    var refusal: RemovalRefusal?
    let uncounted = try await uncountedAttributions()
    do {
      let state = DurableFolder(folder)
      StateReserve.release(in: state)
      defer { if Ledger.isThere(folder) { StateReserve.make(in: state) } }
      let isNeeded = !tables.isEmpty || spool != nil || (removesAttributions && Ledger.isThere(folder))
      let ledger = isNeeded ? try Ledger(existing: StateFolder(existing: folder)) : nil
      if trustsClock { try ledger?.trustClock(now.milliseconds) }
      if let ledger, !tables.isEmpty { refusal = try removeParts(ledger, &removed) }
      if removed.parts.contains(where: { $0.table == Table.rejects.name }) { try DerivedStore.removePage(in: output) }
      if let ledger, let spool, refusal == nil { refusal = try removeFiles(of: spool, ledger, &files) }
      if uncounted > 0 {
        removed.waiting[Self.daily, default: TableRetention.Waiting()].rows += uncounted
      } else if removesAttributions, refusal == nil {
        refusal = try removeAttributions(ledger, &attributions)
      }
      if removesImports, refusal == nil { refusal = try removeImports(&imports) }
    }
    if refusal == nil || !removed.parts.isEmpty || files > 0 || attributions > 0 {
      try report(removed, files, (attributions, imports))
    }
    if let refusal { throw CommandFailure(refusal) }
  }

  /// The name of the daily report among the followers of a state.
  private static let daily = "daily"

  /// Returns the number of old attributions of Apple Search Ads that the daily report has not counted; 0 if none waits for it.
  private func uncountedAttributions() async throws -> Int64 {
    guard removesAttributions, !options.isWithoutWaiting, Ledger.isThere(folder) else { return 0 }
    guard try Follower.all(of: folder).contains(where: { $0.name == Self.daily }),
      let counts = try await SearchAdsDaily(in: output, jobs: 1)
    else { return 0 }
    // What came for days of which rows were removed before is never counted.
    let first = try Ledger.retention(folder, ofTable: Table.searchAdsAttributions.name)
    let (start, end) = (first.map { Timestamp(milliseconds: $0).daysSince1970 } ?? .min, before.daysSince1970)
    return start < end ? try counts.uncounted(of: start..<end, in: output) : 0
  }

  /// Removes the attributions of Apple Search Ads, and counts them. Returns the reason not to, if there is one.
  private func removeAttributions(_ ledger: Ledger?, _ count: inout Int) throws(FileFailure) -> RemovalRefusal? {
    let selection = AttributionSelection(before: before)
    let table = Table.searchAdsAttributions
    let refusal = try refusal(of: table) { () throws(FileFailure) in try SearchAdsRemoval.share(selection, in: output) }
    if let refusal { return refusal }
    // The daily report keeps the days before it, of which rows may be gone from now on.
    try ledger?.recordRetention(ofTable: table.name, before: before.startOfDay.milliseconds)
    count = try SearchAdsRemoval.remove(selection, from: output, isCSVSafe: try isCSVSafe())
    return nil
  }

  /// Removes rows of vendors' exports, and counts them. Returns the reason not to, if there is one.
  private func removeImports(_ count: inout Int) throws(FileFailure) -> RemovalRefusal? {
    let selection = ImportedRemoval.Selection.before(before)
    let refusal = try refusal(of: .imported) { () throws(FileFailure) in
      try ImportedRemoval.share(selection, in: output)
    }
    if let refusal { return refusal }
    count = try ImportedRemoval.remove(selection, from: output, isCSVSafe: try isCSVSafe()) ?? 0
    return nil
  }

  private func isCSVSafe() throws(FileFailure) -> Bool {
    Ledger.isThere(folder) ? try Ledger.reading(folder).settings[Ledger.csvSafe] == "yes" : false
  }

  /// Returns the reason not to remove rows of a table that is in no ledger: a doubt about the clock, or the share of the rows. Nil if
  /// there is none.
  private func refusal(
    of table: Table,
    _ share: () throws(FileFailure) -> RemovalShare
  ) throws(FileFailure) -> RemovalRefusal? {
    if Ledger.isThere(folder), !trustsClock,
      let refusal = try Ledger.removalClock(folder)?.refusal(at: now.milliseconds)
    {
      return refusal
    }
    return removesAll ? nil : try share().refusal("rows of \(table.name)", before: before.milliseconds)
  }

  private func removeFiles(
    of spool: String,
    _ ledger: Ledger,
    _ count: inout Int
  ) throws(FileFailure) -> RemovalRefusal? {
    if !removesAll,
      let refusal = try ledger.refusal(toRemoveFrom: spool, before: before.milliseconds, now: now.milliseconds)
    {
      return refusal
    }
    var isComplete = false
    while !isComplete {
      let retention = try SpoolRetention(before: before.milliseconds, in: spool)
      count += retention.count
      isComplete = retention.isComplete
    }
    try ledger.recordRemoval(.spool, before: before.milliseconds)
    return nil
  }

  private func removeParts(
    _ ledger: Ledger,
    _ removed: inout Removed
  ) throws(FileFailure) -> RemovalRefusal? {
    let parts = try ledger.parts() + ledger.pendingRemovals()
    let output = try OutputFolder(output, of: ledger, parts)
    let archive = try archive.map { path throws(FileFailure) in try PartArchive(path, of: output.path) }
    var isComplete = false
    while !isComplete {
      let retention = try TableRetention(
        before: before.milliseconds,
        from: tables,
        in: output,
        ledger,
        waitingFor: !options.isWithoutWaiting ? try Follower.all(of: folder) : [],
        now: now.milliseconds,
        removesAll: removesAll || archive != nil,
        archive: archive,
        // No consumer waits.
        mostBytes: 16 * TableRetention.mostBytes,
        decided: DecidedColumns.times(in: output.path)
      )
      removed.keptRows += retention.keptRows
      if let refusal = retention.refusal { return refusal }
      removed.parts += retention.removed
      (isComplete, removed.missing, removed.waiting) = (retention.isComplete, retention.missing, retention.waiting)
    }
    return nil
  }

  /// Warns that a load removes the rows of tables that it replaces as a whole from its database too.
  private func warnOfDatabases(_ rows: (attributions: Int, imports: Int)) throws {
    let tables = [(Table.searchAdsAttributions, rows.attributions), (Table.imported, rows.imports)].filter { $0.1 > 0 }
    guard !tables.isEmpty, Ledger.isThere(folder) else { return }
    guard try Follower.all(of: folder).contains(where: { $0.kind == .database }) else { return }
    Terminal.warn(
      """
      The next postback load postgres removes the rows of \(tables.map(\.0.name).joined(separator: " and ")) from the database \
      too, because it replaces the table as a whole. To keep them, copy them there into a table of your own first.
      """
    )
  }

  private func report(
    _ removed: Removed,
    _ files: Int,
    _ others: (attributions: Int, imports: Int)
  ) throws {
    for path in removed.missing {
      Terminal.warn(
        "\(path): The file is not there, so it was not removed from the state. Put it back, then run again."
      )
    }
    let waiting = removed.waiting.sorted { $0.key < $1.key }
    for (name, waiting) in waiting {
      Terminal.warn(
        """
        \(waiting.rows) rows that are old stay, because \(name) has not read them. Run it first, remove it with postback state \
        followers --remove if it is gone, or give --without-waiting.
        """
      )
    }
    try warnOfDatabases(others)
    let rows = removed.parts.reduce(0) { $0 + $1.rows }
    let bytes = removed.parts.reduce(0) { $0 + $1.length }
    let summary = JSONValue.object([
      .init("before", .string(before.description)), .init("parts", .integer(Int64(removed.parts.count))),
      .init("rows", .integer(rows)), .init("bytes", .integer(bytes)), .init("kept_rows", .integer(removed.keptRows)),
      .init("spool_files", .integer(Int64(files))),
      .init("asa_rows", .integer(others.attributions)), .init("imported_rows", .integer(others.imports)),
      .init(
        "waiting",
        .array(
          waiting.map { .object([.init("follower", .string($0.key)), .init("rows", .integer($0.value.rows))]) }
        )
      ),
      .init("missing", .texts(removed.missing)),
    ])
    let text = """
      \(removed.parts.count) parts with \(rows) rows from before \(before) removed (\(bytes) bytes)\
      \(archive.map { " and kept in \($0)" } ?? "")\
      \(removed.keptRows == 0 ? "" : "; \(removed.keptRows) of their rows stay, because they still count")\
      \(others.attributions == 0 ? "" : ", \(others.attributions) rows of \(Table.searchAdsAttributions.name)")\
      \(others.imports == 0 ? "" : ", \(others.imports) rows of \(Table.imported.name)")\
      \(spool == nil ? "" : ", and \(files) files of the spool")
      """
    try Terminal.print(options.printsJSON ? summary.description : text)
  }
}
