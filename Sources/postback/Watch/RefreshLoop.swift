internal import Dispatch
internal import Glibc
internal import PostbackPipeline
internal import PostbackService
internal import Synchronization

/// The repeated `postback refresh` beside a consumer. It is a process of its own, so that its memory and its failures are
/// not those of the consumer.
final class RefreshLoop: Sendable {
  /// The value of `--refresh`: the seconds after which a row that is committed is in the tables, at most.
  static var option: Int? {
    Option(
      "--refresh SECONDS",
      "Bring the derived tables, the page and the database up to date, as postback refresh does, so often that\na row is in them after so many seconds, such as 60s, if a refresh takes less than half of that."
    ).value("seconds from 1 to 86400, such as 60s") { text in
      Int(text.hasSuffix("s") ? String(text.dropLast()) : text).flatMap { (1...86_400).contains($0) ? $0 : nil }
    }
  }

  private let words: [String]
  private let interval: Int
  private let log: Log
  private let queue = DispatchQueue(label: "postback.refresh")
  private let isStopped = Atomic(false)
  /// The id of the process that runs now; 0 if none does.
  private let child = Atomic<Int32>(0)
  /// The exit status of the last refresh, so that one that lasts is logged once.
  private let status = Atomic<Int32>(0)

  /// The refresh of the tables of a consumer; nil if it is not asked for.
  init?(every seconds: Int?, _ configuration: String?, _ consumer: ConsumerOptions) {
    guard let seconds else { return nil }
    interval = seconds
    log = consumer.log
    var words = ["refresh", consumer.tables.folder, "--state", consumer.state, "--quiet"]
    words += ["--only", "settle,enrich,daily,report,load"]
    if let configuration { words += ["--config", configuration] }
    self.words = words
  }

  /// Begins to refresh.
  func start() {
    queue.asyncAfter(deadline: .now() + .milliseconds(min(5000, interval * 500))) { self.runAndRepeat() }
  }

  /// Ends the refresh that is in progress, which changes nothing then, and begins no other.
  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    let process = child.load(ordering: .sequentiallyConsistent)
    if process > 0 { kill(process, SIGTERM) }
    queue.sync {}
  }

  private func runAndRepeat() {
    guard !isStopped.load(ordering: .sequentiallyConsistent) else { return }
    let start = ContinuousClock.now
    let result = run()
    if !isStopped.load(ordering: .sequentiallyConsistent) { report(result) }
    // A row that is committed right after the begin is in the tables at the end of the next refresh, which may take half as long
    // again as this one.
    let duration = ContinuousClock.now - start
    let rest = max(Duration.milliseconds(100), .seconds(interval) - duration * 5 / 2)
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(rest / .milliseconds(1)))) { self.runAndRepeat() }
  }

  private func report(_ result: Int32) {
    let before = status.exchange(result, ordering: .relaxed)
    guard result != before else { return }
    if result == 0 { return log.info("refreshed", "the derived tables are up to date again") }
    if result == ExitStatus.locked.rawValue {
      let reason = "another process makes the derived tables, or has removed rows meanwhile"
      return log.info("refresh_waits", "\(reason); it is tried again")
    }
    log.error(
      "refresh_failed",
      "postback refresh ended with \(result), and the derived tables stay as they were; it is tried again",
      ["exit_status": .integer(Int64(result))]
    )
  }

  /// Runs the command to its end. Returns its exit status, or 128 and the number of the signal that ended it.
  private func run() -> Int32 {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The consumer blocks the signals that it waits for.
    var (none, ignored) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&ignored)
    unsafe sigaddset(&ignored, SIGPIPE)
    unsafe sigaddset(&ignored, SIGXFSZ)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &ignored)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var list = unsafe (["postback"] + words).map { unsafe strdup($0) } + [nil]
    defer { for index in 0...words.count { unsafe free(list[index]) } }
    var process: pid_t = 0
    let failure = unsafe posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &list, environ)
    guard failure == 0 else { return 128 }
    child.store(process, ordering: .sequentiallyConsistent)
    // It may have been stopped before the process was known.
    if isStopped.load(ordering: .sequentiallyConsistent) { kill(process, SIGTERM) }
    defer { child.store(0, ordering: .sequentiallyConsistent) }
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process), 10)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
  }
}
