internal import Glibc
package import InputForms
package import PostbackPipeline
package import Tables

/// The settings of a consumer of a spool.
package struct ConsumerOptions: Sendable {
  /// The path of the spool.
  package let spool: String
  /// The folder of the state.
  package let state: String
  /// The folder and the format of the tables.
  package var tables: TableOptions
  /// The settings that SIGHUP replaces, as they are at the start.
  package let settings: ServiceSettings
  /// Loads these settings again.
  package let load: ServiceSettings.Loader
  /// The version of the program, for the settings of the run and for the metrics.
  package let version: String
  /// The log of the service.
  package let log: Log

  /// The time for which a file must be unchanged before it is taken from the spool itself; nil if producers rename
  /// their files into a folder of the spool.
  package var settle: Duration?
  /// Indicates that files that are done are deleted.
  package var deletes = false
  /// The form in which files may be.
  package var form = InputForm()
  /// Indicates that the consumer ends when no file waits.
  package var leavesWhenEmpty = false
  /// The longest time between two looks at the spool.
  package var rescan = Duration.seconds(5)
  /// The source of the time at which postbacks were received.
  package var receivedAt = ReceivedAtRule()
  /// The number of batches that are worked on at once.
  package var jobs = 1
  /// The age from which rows and files that were put away are removed; nil if all are kept.
  package var retention: Duration?
  /// The tables whose old rows are removed.
  package var retainedTables: [String] = []
  /// Indicates that old rows stay while a follower has not read them.
  package var retentionWaits = true
  /// The times of the copies that decide for old postbacks.
  package var decidingTimes: DecidingTimes = { _ in [:] }
  /// Removes what was counted for the page of the output, after rejects were removed: some of them are in it as a whole.
  package var removePage: RemovalOfResults = {}
  /// The file for the metrics; nil if there is none.
  package var metricsFile: ReplacedFile?
  /// The exit status of the process when a second signal ends it at once.
  package var forcedExitStatus: Int32 = EXIT_FAILURE
  /// The callbacks to a receiver in the same process; nil if there is none. With a receiver, a failure of the state or
  /// of the tables does not end the consumer: it tries again, and the receiver goes on.
  package var receiver: ConsumerHooks?

  /// Creates the settings that have no default.
  package init(
    spool: String,
    state: String,
    tables: TableOptions,
    settings: ServiceSettings,
    load: @escaping ServiceSettings.Loader,
    version: String,
    log: Log
  ) {
    self.spool = spool
    self.state = state
    self.tables = tables
    self.settings = settings
    self.load = load
    self.version = version
    self.log = log
  }
}

/// The callbacks from a consumer to a receiver in the same process.
package struct ConsumerHooks: Sendable {
  let stopping: @Sendable () -> Void
  let receiverWorks: @Sendable () -> Bool
  let reloaded: @Sendable (ServiceSettings) -> Void

  /// Creates hooks. `stopping` is called once when the consumer is asked to end, before it commits the postbacks it has
  /// taken. `receiverWorks` returns false if the receiver is stuck; then the service manager is not told that the
  /// process is alive. `reloaded` is called when SIGHUP has replaced the settings.
  package init(
    stopping: @escaping @Sendable () -> Void,
    receiverWorks: @escaping @Sendable () -> Bool,
    reloaded: @escaping @Sendable (ServiceSettings) -> Void
  ) {
    self.stopping = stopping
    self.receiverWorks = receiverWorks
    self.reloaded = reloaded
  }
}
