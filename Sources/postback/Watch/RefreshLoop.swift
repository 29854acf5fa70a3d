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
  /// The result of the last refresh, so that what lasts is logged once.
  private let last = Mutex(RefreshEnd(status: 0))

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

  private func report(_ end: RefreshEnd) {
    let before = last.withLock { last in
      defer { last = end }
      return last
    }
    for warning in end.warnings where !before.warnings.contains(warning) { log.warning("refresh_warning", warning) }
    guard !end.isSame(as: before) else { return }
    if end.status == 0 { return log.info("refreshed", "the derived tables are up to date again") }
    if end.isLocked {
      let reason = "another process makes the derived tables, or has removed rows meanwhile"
      return log.info("refresh_waits", "\(reason); it is tried again")
    }
    log.error(
      "refresh_failed",
      "postback refresh ended with \(end.status), and the derived tables stay as they were; it is tried again",
      ["exit_status": .integer(Int64(end.status)), "reason": .text(end.failure)]
    )
  }

  /// Runs the command to its end.
  private func run() -> RefreshEnd {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return RefreshEnd(status: 128) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
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
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    var list = unsafe (["postback"] + words).map { unsafe strdup($0) } + [nil]
    defer { for index in 0...words.count { unsafe free(list[index]) } }
    var process: pid_t = 0
    let failure = unsafe posix_spawn(&process, "/proc/self/exe", &actions, &attributes, &list, environ)
    close(ends[1])
    guard failure == 0 else { return RefreshEnd(status: 128) }
    child.store(process, ordering: .sequentiallyConsistent)
    // It may have been stopped before the process was known.
    if isStopped.load(ordering: .sequentiallyConsistent) { kill(process, SIGTERM) }
    defer { child.store(0, ordering: .sequentiallyConsistent) }
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process), 10)
    let text = Self.text(from: ends[0])
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return RefreshEnd(status: status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f), text)
  }

  /// Reads what a process prints until it ends; of very much only the last.
  private static func text(from descriptor: Int32) -> String {
    var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes = Array((bytes + piece[..<count]).suffix(1 << 16))
    }
  }
}

/// The end of a refresh that was a process of its own.
struct RefreshEnd {
  /// The exit status, or 128 and the number of the signal that ended the process.
  let status: Int32
  /// The warnings, each in one line.
  private(set) var warnings: [String]
  /// The reason for a status that is not 0, in one line; empty if the process gave none.
  private(set) var failure = ""

  /// Reads what `Terminal` has printed on standard error: each message begins with the name of the program, and the one of a
  /// failure is the last and may have further lines.
  init(status: Int32, _ text: String = "") {
    let start = "postback: "
    self.status = status
    warnings = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix(start) || warnings.isEmpty {
        warnings.append(String(line.hasPrefix(start) ? line.dropFirst(start.count) : line))
      } else {
        warnings[warnings.count - 1] += "; \(line)"
      }
    }
    if status != 0 { failure = warnings.popLast() ?? "" }
  }

  /// Indicates that another process had the derived tables.
  var isLocked: Bool { status == ExitStatus.locked.rawValue }

  /// Indicates that the result needs no further event after another one. Numbers in a reason, such as those of rows, may
  /// change with each attempt.
  func isSame(as other: RefreshEnd) -> Bool {
    func words(_ reason: String) -> String { reason.filter { !$0.isNumber } }
    return status == other.status && (isLocked || words(failure) == words(other.failure))
  }
}
