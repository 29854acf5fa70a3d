internal import Glibc

/// The run of a process that ended.
struct ProcessRun {
  /// The time from before the start of the process until its end was reported, in seconds.
  let seconds: Double
  /// The time of all cores in the process and the system for it, in seconds.
  let processorSeconds: Double
  /// The peak of the resident memory, in bytes; nil if it is not known.
  ///
  /// Before the child process becomes the new program it shares this process's memory, and Linux counts that memory in the
  /// child's peak. So a peak is known only if it is greater than that of this process.
  let peakMemory: Int?
  /// The text that the process wrote to standard output.
  let output: String

  /// Runs a command, which is found in `PATH` if it has no slash. Throws if its exit status is not 0.
  init(_ command: [String]) throws(BenchmarkFailure) {
    var own = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &own)
    let ownPeak = own.ru_maxrss
    let start = ContinuousClock.now
    let (child, pipe) = try Self.start(command)
    output = String(decoding: Self.drain(pipe), as: UTF8.self)
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(child, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw .system("\(command[0]) cannot be waited for") }
    }
    seconds = (ContinuousClock.now - start) / .seconds(1)
    guard status == 0 else {
      throw BenchmarkFailure("this failed; run it by hand to see why:\n\(command.joined(separator: " "))")
    }
    peakMemory = usage.ru_maxrss > ownPeak ? usage.ru_maxrss * 1024 : nil
    processorSeconds = usage.ru_utime.seconds + usage.ru_stime.seconds
  }

  /// Returns the run with the median duration of `count` equal ones. The first ones often take longest: the host of a virtual
  /// machine may have to find memory for what it writes.
  static func median(of count: Int, _ run: () throws -> ProcessRun) throws -> ProcessRun {
    let runs = try (0..<max(count, 1)).map { _ in try run() }
    return runs.sorted { $0.seconds < $1.seconds }[runs.count / 2]
  }

  /// Tells if a tool is in `PATH`.
  static func isInstalled(_ tool: String) -> Bool {
    guard let path = unsafe getenv("PATH") else { return false }
    return unsafe String(cString: path).split(separator: ":").contains { unsafe access("\($0)/\(tool)", X_OK) == 0 }
  }

  private static func start(_ command: [String]) throws(BenchmarkFailure) -> (child: pid_t, pipe: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { throw .system("no pipe can be made") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    // Gives the child an empty signal mask: Swift's threads block signals, and `openssl speed` waits for SIGALRM.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var mask = sigset_t()
    unsafe sigemptyset(&mask)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { for index in command.indices { unsafe free(words[index]) } }
    var child: pid_t = 0
    let result = unsafe posix_spawnp(&child, command[0], &actions, &attributes, &words, environ)
    guard result == 0 else {
      close(ends[0])
      throw .system("\(command[0]) cannot be started", result)
    }
    return (child, ends[0])
  }

  private static func drain(_ pipe: Int32) -> [UInt8] {
    defer { close(pipe) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(pipe, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return output }
      output += buffer[..<count]
    }
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

extension BenchmarkFailure {
  /// Returns an error for a failed system call: `what` could not be done, and the system's reason.
  static func system(_ what: String, _ code: Int32 = errno) -> BenchmarkFailure {
    BenchmarkFailure("\(what): \(unsafe String(cString: strerror(code)))")
  }
}

/// An error that ends the benchmark: a tool failed, or the measured program gave a wrong result.
struct BenchmarkFailure: Error, CustomStringConvertible {
  /// The cause, with advice for the user.
  let description: String

  init(_ description: String) { self.description = description }
}
