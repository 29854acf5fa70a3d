internal import Base
package import DurableFiles
package import Ledger
internal import PostbackPipeline
internal import Spool
internal import Tables

/// The removal of rows and files that are too old while a consumer runs, once an hour.
///
/// A failure is logged and does not end the consumer: new postbacks matter more than old ones.
struct HourlyRetention {
  private let options: ConsumerOptions
  private let monitor: ConsumerMonitor
  private var due = ContinuousClock.now
  /// The reason why the last removal was none; nil if it was one.
  private var refusal: RemovalRefusal?
  private var announced: Set<RemovalRefusal.Reason> = []
  /// The followers that the last removal had to wait for, each with the time for which rows are due.
  private(set) var waiting: [String: Duration] = [:]

  private static let interval = Duration.seconds(3600)

  /// Makes the removal for a consumer, due at once.
  init(_ options: ConsumerOptions, _ monitor: ConsumerMonitor) { (self.options, self.monitor) = (options, monitor) }

  /// Removes some of what is too old if that is due and everything is committed. The rest is due with the next call.
  mutating func run(_ tables: TableWriter) {
    if let refusal = tables.forgettingRefusal, !announced.contains(refusal.reason) { announce(tables) }
    guard .now >= due, tables.isCommitted else { return }
    due = .now + Self.interval
    let now = Timestamp.now.milliseconds
    let before = now - Int64((options.retention ?? .zero) / .milliseconds(1))
    do throws(FileFailure) {
      try tables.ledger.observeClock(now)
      if options.retention != nil { try remove(before: before, from: tables, now: now) }
      announce(tables)
    } catch {
      options.log.error(
        "not_removed",
        "\(error) Rows and files from before \(Timestamp(milliseconds: before)) are kept, and looked for again in an hour.",
        ["path": .text(error.path)]
      )
    }
  }

  private mutating func remove(before time: Int64, from tables: TableWriter, now: Int64) throws(FileFailure) {
    let retention = try tables.remove(
      before: time,
      from: options.retainedTables,
      waits: options.retentionWaits,
      decided: options.decidingTimes
    )
    if retention.removed.contains(where: { $0.table == Table.rejects.name }) { try options.removePage() }
    if retention.isComplete { wait(for: retention.waiting) }
    refusal = retention.refusal
    guard refusal == nil else { return }
    refusal = try tables.ledger.refusal(toRemoveFrom: options.spool, before: time, now: now)
    guard refusal == nil else { return log(retention, 0, time) }
    let files = try SpoolRetention(before: time, in: options.spool)
    if files.isComplete { try tables.ledger.recordRemoval(.spool, before: time) }
    if !retention.isComplete || !files.isComplete { due = .now }
    log(retention, files.count, time)
  }

  /// Logs why nothing is removed, once for each reason.
  private mutating func announce(_ tables: TableWriter) {
    let refusals = [refusal, tables.forgettingRefusal].compactMap(\.self)
    monitor.refuse(refusals)
    for refusal in refusals where announced.insert(refusal.reason).inserted {
      options.log.warning("retention_refused", "\(refusal).", ["reason": .text(refusal.reason.rawValue)])
    }
    announced.formIntersection(refusals.map(\.reason))
  }

  /// Reports the followers that have not read old rows.
  private mutating func wait(for followers: [String: TableRetention.Waiting]) {
    waiting = followers.mapValues(\.delay)
    for (name, waiting) in followers.sorted(by: { $0.key < $1.key }) {
      options.log.warning(
        "retention_waiting",
        """
        \(waiting.rows) rows that are old stay, because \(name) has not read them. Run it, or remove it with postback state \
        followers --remove if it is gone.
        """,
        [
          "follower": .text(name), "rows": .integer(waiting.rows),
          "due_seconds": .integer(Int64(waiting.delay / .seconds(1))),
        ]
      )
    }
  }

  private func log(_ retention: TableRetention, _ files: Int, _ before: Int64) {
    if retention.isComplete {
      for path in retention.missing {
        options.log.warning(
          "part_missing",
          "\(path): the part is not there, so it was not removed",
          ["path": .text(path)]
        )
      }
    }
    guard !retention.removed.isEmpty || files > 0 else { return }
    options.log.info(
      "removed_old",
      "\(retention.removed.count) parts and \(files) files of the spool, from before \(Timestamp(milliseconds: before))",
      [
        "parts": .integer(Int64(retention.removed.count)), "rows": .integer(retention.removedRows),
        "files": .integer(Int64(files)),
      ]
    )
  }
}

extension Ledger {
  /// Returns the reason not to remove the files of a spool that were put away before a time; nil if there is none.
  package func refusal(toRemoveFrom spool: String, before time: Int64, now: Int64) throws(FileFailure)
    -> RemovalRefusal?
  {
    try refusal(.spool, before: time, now: now) { () throws(FileFailure) in
      let share = try SpoolRetention.share(before: time, in: spool)
      return RemovalShare(old: share.old, of: share.all)
    }
  }
}
