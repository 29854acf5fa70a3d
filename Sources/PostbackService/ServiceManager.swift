internal import Base
internal import Dispatch
internal import Glibc

/// The service manager that started this process, notified by the protocol of systemd (sd_notify(3)). Without a
/// manager, or if it does not listen, the calls do nothing.
struct ServiceManager: Sendable {
  /// The longest time between two calls of `watchdog()` before the manager ends the process; nil if it does not watch.
  /// Half of it is a good interval.
  let watchdogInterval: Duration?
  /// The file descriptors of the sockets that the manager has opened for the service (sd_listen_fds(3)); often none.
  let passedSockets: Range<Int32>
  private let socketName: String?

  /// Finds the service manager in the environment of the process.
  init() { self.init { name in unsafe getenv(name).map { unsafe String(cString: $0) } } }

  /// Finds the service manager in these environment variables.
  init(variable: (String) -> String?) {
    socketName = variable("NOTIFY_SOCKET")
    let isMeant = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = variable("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    let count = variable("LISTEN_PID") == "\(getpid())" ? variable("LISTEN_FDS").flatMap { Int32($0) } ?? 0 : 0
    passedSockets = Self.firstSocket..<Self.firstSocket + min(max(count, 0), 1024)
    watchdogInterval = isMeant && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// The first file descriptor that a manager passes.
  private static let firstSocket: Int32 = 3

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

  /// Returns a handler of the share of a state that is open, which asks for a further minute once a second.
  func opening() -> (Double) -> Void {
    var told = ContinuousClock.now - .seconds(1)
    return { share in
      guard .now - told >= .seconds(1) else { return }
      told = .now
      starting("Opening the state, \(Int(share * 100)) %", within: .seconds(60))
      watchdog()
    }
  }

  /// Asks for at least `time` from now before the start counts as failed, and sends a sentence that describes it.
  func starting(_ sentence: String, within time: Duration) {
    status(sentence)
    send("EXTEND_TIMEOUT_USEC=\(Int64(time / .microseconds(1)))")
  }

  /// Sends a sentence for people that describes the current activity.
  func status(_ sentence: String) { send("STATUS=\(sentence.cut.withControlCharactersEscaped)") }

  /// Notifies that the service is alive.
  func watchdog() { send("WATCHDOG=1") }

  /// Notifies from a thread of its own, until the process ends, that the service is alive while `works` returns true.
  func feedWatchdog(while works: @escaping @Sendable () -> Bool) {
    guard let watchdogInterval else { return }
    let pause = min(watchdogInterval / 2, .seconds(1))
    let timer = DispatchQueue(label: "postback.watchdog")
    @Sendable func feed() {
      if works() { watchdog() }
      timer.asyncAfter(deadline: .now() + .milliseconds(Int(pause / .milliseconds(1))), execute: feed)
    }
    timer.async(execute: feed)
  }

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

/// The address of a Unix socket: a path, or `@` and the name of an abstract socket (unix(7)).
struct UnixAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// Creates an address; nil if the name is of neither form, or too long.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    let isAbstract = bytes.first == UInt8(ascii: "@")
    guard isAbstract || bytes.first == UInt8(ascii: "/"), bytes.count > 1 else { return nil }
    if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
    guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + bytes.count)
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Sends one datagram to the address; returns true if it was sent whole.
  @discardableResult
  func send(_ bytes: [UInt8], over descriptor: Int32) -> Bool {
    unsafe withSocketAddress { address, length in
      unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length) == bytes.count
    }
  }

  /// Binds a socket to the address; returns false if that fails.
  func bind(_ descriptor: Int32) -> Bool {
    unsafe withSocketAddress { address, length in unsafe Glibc.bind(descriptor, address, length) == 0 }
  }

  private func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }
}
