internal import Base
internal import DurableFiles
internal import Ledger
internal import Tables
internal import JSON
internal import PostbackService
internal import SKAdNetwork
internal import Spool

/// The status of a state at one moment, read without its lock.
struct StateStatus {
  /// The parts with the same table, format and phase, counted together.
  struct PartGroup: Equatable {
    let table: String
    let format: TableFormat
    let phase: LedgerPart.Phase
    var count = 0
    var rows: Int64 = 0
    var bytes: Int64 = 0
  }

  let folder: String
  /// Indicates that rejects that were read again are counted.
  let includesReprocessed: Bool
  let now: Timestamp
  /// The process that holds the lock of the state, as the lock file describes it; nil if none does.
  let holder: String?
  /// The status that the last consumer wrote last; nil if there is none. The consumer may have ended.
  let consumer: ConsumerStatus?
  let ledger: LedgerReading
  let totals: LedgerTotals
  /// A digest of each kind of settings with which the latest rows were decided, and the names of those settings; empty
  /// if the ledger has none.
  let settings: [(kind: RunSettings.Kind, digest: String, names: [String])]

  init(folder: String, includesReprocessed: Bool = false) throws(FileFailure) {
    self.folder = folder
    self.includesReprocessed = includesReprocessed
    ledger = try Ledger.reading(folder)
    totals = LedgerTotals(ledger.counts)
    consumer = StatusFile.read(folder: folder)
    backlog = consumer.flatMap { try? SpoolBacklog(of: $0.spool) }
    holder = try StateFolder.user(of: folder)
    settings = Self.settings(ledger.runSettings)
    now = .now
  }

  private static func settings(
    _ digests: [RunSettings.Name: String]
  ) -> [(kind: RunSettings.Kind, digest: String, names: [String])] {
    guard !digests.isEmpty else { return [] }
    return RunSettings.Kind.allCases.compactMap { kind in
      let names = digests.keys.filter { $0.kind == kind }.map(\.name).sorted()
      return (try? RunSettings.digest(of: kind, in: digests)).map { (kind, $0, names) }
    }
  }

  /// The backlog of the consumer's spool, counted now; nil if there is no consumer, or its spool cannot be listed.
  let backlog: SpoolBacklog?

  /// The last status of the consumer that runs now; nil if none runs, or it has not written one yet.
  var runningConsumer: ConsumerStatus? {
    guard let consumer else { return nil }
    // A consumer that waits for its disk has closed the state.
    guard let holder else { return consumer.isAlive ? consumer : nil }
    guard holder.hasPrefix("process \(consumer.pid) ") else { return nil }
    // The system may have given the same process number to another process.
    let since = holder.split(separator: " ").last.flatMap { Timestamp(String($0)) }
    return since.map { $0 <= consumer.updatedAt } ?? true ? consumer : nil
  }

  /// The time of the last commit; nil before the first.
  var committedAt: Timestamp? { ledger.commits > 0 ? Timestamp(milliseconds: ledger.committedAt) : nil }

  /// The reject codes that occurred, with their counts, in the order of the pipeline's stages.
  var rejected: [(code: RejectCode, count: Int64)] {
    RejectCode.allCases.map { ($0, totals.rejected($0) - (includesReprocessed ? 0 : totals.reprocessed($0))) }
      .filter { $0.1 > 0 }
  }

  /// The number of rejects that were read again.
  var reprocessed: Int64 { RejectCode.allCases.reduce(0) { $0 + totals.reprocessed($1) } }

  /// The number of records that were read, and of those that were rejected.
  var counted: (read: Int64, rejected: Int64) {
    let others = includesReprocessed ? 0 : reprocessed
    return (totals.read - others, totals.rejected - others)
  }

  /// The number of files that wait in the spool: counted now if possible, otherwise that of the last status.
  var waitingFiles: Int? { backlog?.count ?? consumer?.waitingFiles }

  /// The age of the oldest waiting file; nil if none waits, or no consumer runs.
  var lag: Duration? {
    guard let consumer = runningConsumer else { return nil }
    let oldest = backlog.map { $0.oldest.map { Timestamp(milliseconds: $0) } } ?? consumer.oldestWaitingAt
    return oldest.map { max(now.since($0), .zero) }
  }

  /// The time since the last commit; nil before the first. The clock may have gone back since then.
  var sinceLastCommit: Duration? { committedAt.map { max(now.since($0), .zero) } }

  /// The parts, grouped by table, format and phase.
  var parts: [PartGroup] {
    var groups: [PartGroup] = []
    for part in ledger.parts {
      let found = groups.firstIndex { $0.table == part.table && $0.format == part.format && $0.phase == part.phase }
      let index = found ?? groups.count
      if found == nil { groups.append(PartGroup(table: part.table, format: part.format, phase: part.phase)) }
      groups[index].count += 1
      groups[index].rows += part.rows
      groups[index].bytes += part.length
    }
    return groups
  }
}

extension StateStatus {
  /// The status as JSON, with the keys of schemas/status.schema.json.
  var json: JSONValue {
    .object([
      .init("state", .string(folder)),
      .init("now", .string(now.description)),
      .init("running", .bool(holder != nil)),
      .init("holder", .text(holder)),
      .init("consumer", consumerJSON),
      .init("commits", .integer(ledger.commits)),
      .init("last_commit_at", .text(committedAt?.description)),
      .init("since_last_commit_s", .decimal(sinceLastCommit?.seconds)),
      .init("read", .integer(counted.read)),
      .init("accepted", .integer(totals.accepted)),
      .init("rejected", .integer(counted.rejected)),
      .init("by_code", .object(rejected.map { .init($0.code.rawValue, .integer($0.count)) })),
      .init("fed_back", .integer(reprocessed)),
      .init("rows", .object(Table.all.map { .init($0.name, .integer(totals.rows(of: $0))) })),
      .init(
        "inputs",
        .object(LedgerInput.Phase.allCases.map { .init($0.rawValue, .integer(ledger.inputs[$0] ?? 0)) })
      ),
      .init("parts", .array(parts.map(\.json))),
      .init("seen_ids", .integer(ledger.seenCount)),
      .init("output_id", .text(ledger.outputID?.description)),
      .init("settings", settingsJSON),
    ])
  }

  private var settingsJSON: JSONValue {
    guard !settings.isEmpty else { return .null }
    return .object(
      settings.map { kind, digest, names in
        .init(
          kind.rawValue,
          .object([.init("digest", .string(digest)), .init("names", .texts(names))])
        )
      }
    )
  }

  private var consumerJSON: JSONValue {
    guard let consumer, case .object(var members) = consumer.json else { return .null }
    if let waitingFiles, let index = members.firstIndex(where: { $0.key == "waiting_files" }) {
      members[index] = .init("waiting_files", .integer(waitingFiles))
    }
    return .object(
      members + [
        .init("running", .bool(runningConsumer != nil)),
        .init("lag_s", .decimal(lag?.seconds)),
      ]
    )
  }
}

extension StateStatus.PartGroup {
  fileprivate var json: JSONValue {
    .object([
      .init("table", .string(table)),
      .init("format", .string(format.rawValue)),
      .init("phase", .string(phase.rawValue)),
      .init("count", .integer(count)),
      .init("rows", .integer(rows)),
      .init("bytes", .integer(bytes)),
    ])
  }
}
