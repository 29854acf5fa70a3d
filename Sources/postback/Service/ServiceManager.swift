internal import Base
internal import Glibc

/// The service manager that started this process, notified by the protocol of systemd (sd_notify(3)). Without a
/// manager, or if it does not listen, the calls do nothing.
struct ServiceManager: Sendable {
  /// The longest time between two calls of `watchdog()` before the manager ends the process; nil if it does not watch.
  /// Half of it is a good interval.
  let watchdogInterval: Duration?
  private let socketName: String?

  /// Finds the service manager in the environment of the process.
  init() { self.init { name in unsafe getenv(name).map { unsafe String(cString: $0) } } }

  /// Finds the service manager in these environment variables.
  init(variable: (String) -> String?) {
    socketName = variable("NOTIFY_SOCKET")
    let isMeant = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Notifies that the service has started, or has reloaded its settings.
  func ready() { send("READY=1") }

  /// Notifies that the service is about to end.
  func stopping() { send("STOPPING=1") }

  /// Notifies that the service reloads its settings; `ready()` notifies the end of that.
  func reloading() {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
  }

  /// Sends a sentence for people that describes the current activity.
  func status(_ sentence: String) { send("STATUS=\(sentence.cut.withControlCharactersEscaped)") }

  /// Notifies that the service is alive.
  func watchdog() { send("WATCHDOG=1") }

  private func send(_ message: String) {
    guard let socketName, let address = UnixAddress(socketName) else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // A manager that does not read must not block the service.
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    address.send(Array(message.utf8), over: descriptor)
  }
}
