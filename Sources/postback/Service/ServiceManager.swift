internal import Base
internal import Glibc

/// The service manager that started this process, told by the protocol of systemd (sd_notify(3)). Where there is none, or
/// it does not listen, nothing happens.
struct ServiceManager: Sendable {
  /// Within what time it wants to hear `watchdog()` again, or it ends the process; nil where it does not. Half of it is a
  /// good interval.
  let watchdogInterval: Duration?
  private let socketName: String?

  /// The service manager that the environment tells of.
  init() { self.init { name in unsafe getenv(name).map { unsafe String(cString: $0) } } }

  /// The service manager that these variables tell of.
  init(variable: (String) -> String?) {
    socketName = variable("NOTIFY_SOCKET")
    let isMeant = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Says that the service has started, or has read its settings anew.
  func ready() { send("READY=1") }

  /// Says that the service ends.
  func stopping() { send("STOPPING=1") }

  /// Says that the service reads its settings anew; `ready()` says when that is done.
  func reloading() {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)")
  }

  /// Says what the service is doing, in a sentence for people.
  func status(_ sentence: String) { send("STATUS=\(sentence.cut.withControlCharactersEscaped)") }

  /// Says that the service is alive.
  func watchdog() { send("WATCHDOG=1") }

  private func send(_ message: String) {
    guard let socketName, let address = UnixAddress(socketName) else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // A manager that does not read must not stop the service.
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    address.send(Array(message.utf8), over: descriptor)
  }
}
