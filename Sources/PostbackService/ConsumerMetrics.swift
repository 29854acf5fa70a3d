internal import Base
internal import Ledger
internal import Tables
internal import Metrics
internal import SKAdNetwork

/// The metrics of a consumer at one moment.
///
/// The totals and the number of commits come from the ledger, so they continue when the process restarts.
struct ConsumerMetrics: Sendable {
  /// The numbers of records, rows and inputs over the life of the state.
  var totals = Totals()
  /// The number of commits over the life of the state.
  var commits: Int64 = 0
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  var committedAt: Int64 = 0
  /// The durations of the commits of this process.
  var commitDurations = Histogram()
  /// The number of files that wait in the spool.
  var waitingFiles = 0
  /// The age of the oldest waiting file; zero if none waits.
  var oldestWaiting = Duration.zero
  /// The number of postbacks in the index that finds duplicates.
  var indexKeys = 0
  /// The memory, open files and start time of the process.
  var process = ProcessUsage()
  /// The version of the program.
  var version: String

  /// Creates metrics that are all zero.
  init(version: String) { self.version = version }

  /// The metrics in Prometheus' text format.
  var exposition: String {
    var exposition = Exposition()
    addFlow(to: &exposition)
    addCommits(to: &exposition)
    addSpool(to: &exposition)
    exposition.add(process, version: version)
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
    exposition.begin("postback_index_keys", .gauge, "Postbacks in the index that finds duplicates.")
    exposition.add(Int64(indexKeys))
  }

  private func addSpool(to exposition: inout Exposition) {
    exposition.begin("postback_spool_waiting_files", .gauge, "Files that wait in the spool.")
    exposition.add(Int64(waitingFiles))
    exposition.begin(
      "postback_spool_oldest_seconds",
      .gauge,
      "Age of the oldest waiting file in the spool; 0 if none waits."
    )
    exposition.add(oldestWaiting.seconds)
    exposition.begin("postback_inputs_total", .counter, "Finished inputs, by outcome.")
    for outcome in InputOutcome.allCases { exposition.add(totals.inputs(outcome), ["outcome": outcome.rawValue]) }
  }
}

extension Exposition {
  /// Adds the metrics of a process, and the version of the program.
  mutating func add(_ process: ProcessUsage, version: String) {
    begin("process_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
    add(process.residentBytes)
    begin("process_open_fds", .gauge, "Number of open file descriptors.")
    add(process.openDescriptors)
    begin("process_start_time_seconds", .gauge, "Start time of the process, in seconds since 1970.")
    add(Double(process.startedAt.milliseconds) / 1000)
    begin("postback_build_info", .gauge, "Always 1, labelled with the version of postback.")
    add(1 as Int64, ["version": version])
  }
}
