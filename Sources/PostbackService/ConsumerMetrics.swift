internal import Base
internal import Ledger
internal import Tables
internal import Metrics
internal import PostbackPipeline
internal import SKAdNetwork
internal import Spool

/// The metrics of a consumer at one moment.
///
/// The totals and the number of commits come from the ledger, so they continue when the process restarts.
struct ConsumerMetrics: Sendable {
  /// The numbers of records, rows and inputs over the life of the state.
  var totals = LedgerTotals()
  /// The number of commits over the life of the state.
  var commits: Int64 = 0
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  var committedAt: Int64 = 0
  /// The durations of the commits of this process.
  var commitDurations = Histogram()
  /// The times within these in which the rows and the ids were made durable.
  var synchronizationDurations = Histogram()
  /// The phase of the consumer.
  var phase = ConsumerPhase.starting
  /// The time since the consumer did something last.
  var progressAge = Duration.zero
  /// The number of times that the consumer began to fail.
  var failures: Int64 = 0
  /// The number of open parts whose committed rows are missing.
  var missingParts = 0
  /// The number of files of the spool that could not be opened.
  var refusedInputs: Int64 = 0
  /// The disks on which a write failed for want of room.
  var fullDisks: Set<DiskPlace> = []
  /// The reasons why what is too old is not removed.
  var refusedRemovals: Set<RemovalRefusal.Reason> = []
  /// The results of reloads.
  var reloads = ReloadResults()
  /// The rejected records of this process, by forwarder and reject code.
  private var rejectedByForwarder: [Tally.ForwardedReject: Int64] = [:]
  private var forwarders = BoundedLabels()
  /// The files that wait in the spool, and the room on the disks.
  var spool = SpoolObserver.Sample()
  /// The followers whose reading the removal of old rows waits for, each with the time for which rows are due.
  var retentionWaiting: [String: Duration] = [:]
  /// The number of postbacks in the index that finds duplicates.
  var indexKeys = 0
  /// The memory, open files and start time of the process.
  var process = ProcessUsage()
  /// The time at which the consumer started.
  var startedAt = Timestamp(milliseconds: 0)
  /// The time of these metrics.
  var writtenAt = Timestamp(milliseconds: 0)
  /// The version of the program.
  var version: String

  /// Creates metrics that are all zero.
  init(version: String) { self.version = version }

  /// Counts rejected records of forwarders.
  mutating func count(_ rejects: [Tally.ForwardedReject: Int]) {
    for (reject, number) in rejects {
      let forwarder = forwarders.label(for: String(reject.forwarder.unicodeScalars.prefix(Self.forwarderLength)))
      rejectedByForwarder[.init(forwarder: forwarder, code: reject.code), default: 0] += Int64(number)
    }
  }

  private static let forwarderLength = 64

  /// Returns the metrics in Prometheus' text format.
  func exposition(of origin: MetricsOrigin) -> String {
    var exposition = Exposition()
    addFlow(to: &exposition)
    addConsumer(to: &exposition)
    addCommits(to: &exposition)
    addSpool(to: &exposition)
    exposition.begin(
      "postback_retention_refused",
      .gauge,
      "1 while nothing is removed for this reason, though it is too old."
    )
    for reason in RemovalRefusal.Reason.allCases {
      exposition.add(refusedRemovals.contains(reason) ? 1 as Int64 : 0, ["reason": reason.rawValue])
    }
    exposition.add(spool.disks, full: fullDisks, of: DiskPlace.allCases)
    exposition.add(reloads)
    exposition.add(process, of: origin, version: version)
    return exposition.text
  }

  private func addFlow(to exposition: inout Exposition) {
    exposition.begin("postback_records_total", .counter, "Records read.")
    exposition.add(totals.read)
    exposition.begin("postback_accepted_total", .counter, "Postbacks accepted.")
    exposition.add(totals.accepted)
    exposition.begin("postback_rejected_total", .counter, "Records rejected, by stage and reject code.")
    for code in RejectCode.allCases {
      exposition.add(totals.rejected(code), ["stage": code.stage.rawValue, "code": code.rawValue])
    }
    exposition.begin(
      "postback_forwarder_rejected_total",
      .counter,
      "Records of forwarders rejected since the process started, by forwarder, stage and reject code."
    )
    for (reject, count) in rejectedByForwarder.sorted(by: {
      ($0.key.forwarder, $0.key.code.rawValue) < ($1.key.forwarder, $1.key.code.rawValue)
    }) {
      let (stage, code) = (reject.code.stage.rawValue, reject.code.rawValue)
      exposition.add(count, ["forwarder": reject.forwarder, "stage": stage, "code": code])
    }
    exposition.begin("postback_rows_total", .counter, "Rows committed, by table.")
    for table in Table.all { exposition.add(totals.rows(of: table), ["table": table.name]) }
  }

  private func addCommits(to exposition: inout Exposition) {
    exposition.begin("postback_commits_total", .counter, "Commits of the ledger.")
    exposition.add(commits)
    exposition.begin(
      "postback_last_commit_timestamp_seconds",
      .gauge,
      "Time of the last commit, in seconds since 1970; 0 before the first."
    )
    exposition.add(Double(committedAt) / 1000)
    exposition.begin(
      "postback_commit_duration_seconds",
      .histogram,
      "Durations of the commits since the process started."
    )
    exposition.add(commitDurations)
    exposition.begin(
      "postback_commit_fsync_duration_seconds",
      .histogram,
      "Time within each commit in which rows and ids were made durable."
    )
    exposition.add(synchronizationDurations)
    exposition.begin("postback_index_keys", .gauge, "Postbacks in the index that finds duplicates.")
    exposition.add(Int64(indexKeys))
  }

  private func addConsumer(to exposition: inout Exposition) {
    exposition.begin("postback_consumer_state", .gauge, "1 for the state that the consumer is in, 0 for the others.")
    for phase in ConsumerPhase.allCases {
      exposition.add(phase == self.phase ? 1 as Int64 : 0, ["state": phase.rawValue])
    }
    exposition.begin("postback_consumer_failures_total", .counter, "Times that the consumer began to fail.")
    exposition.add(failures)
    exposition.begin(
      "postback_committed_parts_missing",
      .gauge,
      "Open parts whose file is missing, so that committed rows are lost."
    )
    exposition.add(Int64(missingParts))
    exposition.begin("postback_consumer_progress_age_seconds", .gauge, "Time since the consumer did something last.")
    exposition.add(progressAge.seconds)
    exposition.begin(
      "postback_consumer_start_timestamp_seconds",
      .gauge,
      "Time at which the consumer started, in seconds since 1970."
    )
    exposition.add(Double(startedAt.milliseconds) / 1000)
    exposition.begin(
      "postback_consumer_heartbeat_timestamp_seconds",
      .gauge,
      "Time at which the process of the consumer wrote these metrics, in seconds since 1970."
    )
    exposition.add(Double(writtenAt.milliseconds) / 1000)
    exposition.begin(
      "postback_retention_waiting",
      .gauge,
      "Time in seconds for which rows are due for removal that a follower has not read, by follower."
    )
    for (name, delay) in retentionWaiting.sorted(by: { $0.key < $1.key }) {
      exposition.add(delay.seconds, ["follower": name])
    }
  }

  private func addSpool(to exposition: inout Exposition) {
    exposition.addWaiting(spool)
    exposition.begin(
      "postback_spool_not_put_away_files",
      .gauge,
      "Files that do not wait any more, but cannot be moved to done/ or failed/, or not be deleted."
    )
    exposition.add(Int64(spool.backlog.notPutAway))
    exposition.begin("postback_inputs_total", .counter, "Finished inputs, by outcome.")
    for outcome in InputOutcome.allCases { exposition.add(totals.inputs(outcome), ["outcome": outcome.rawValue]) }
    exposition.begin(
      "postback_inputs_refused_total",
      .counter,
      "Files of the spool that could not be opened since the process started."
    )
    exposition.add(refusedInputs)
  }
}

/// The place where metrics are read.
enum MetricsOrigin {
  /// The process itself, at `/metrics`.
  case process
  /// A file that node_exporter reads, which has metrics of its own process.
  case file

  /// The beginning of the names of a process's metrics.
  fileprivate var prefix: String {
    switch self {
    case .process: "process"
    case .file: "postback_process"
    }
  }
}

extension Exposition {
  /// Adds the metrics of a process, and the version of the program.
  mutating func add(_ process: ProcessUsage, of origin: MetricsOrigin, version: String) {
    let prefix = origin.prefix
    begin("\(prefix)_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
    add(process.residentBytes)
    begin("\(prefix)_open_fds", .gauge, "Number of open file descriptors.")
    add(process.openDescriptors)
    begin("\(prefix)_max_fds", .gauge, "Largest number of open file descriptors.")
    add(process.maximumDescriptors)
    begin("\(prefix)_cpu_seconds_total", .counter, "Time of processors that the process used, in seconds.")
    add(process.processorTime.seconds)
    begin("\(prefix)_start_time_seconds", .gauge, "Start time of the process, in seconds since 1970.")
    add(Double(process.startedAt.milliseconds) / 1000)
    begin("postback_build_info", .gauge, "Always 1, labelled with the version of postback.")
    add(1 as Int64, ["version": version])
  }
}
