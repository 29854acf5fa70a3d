import DurableFiles
import Foundation
import TestSupport
import Testing

@testable import PostbackService

@Suite struct `The service manager` {
  /// A socket that receives notifications as systemd's does.
  private struct Listener: ~Copyable {
    let descriptor: Int32

    init(_ name: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      #expect(try #require(UnixAddress(name)).bind(descriptor))
    }

    deinit { close(descriptor) }

    /// Returns the next datagram; nil if there is none.
    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  private func manager(_ variables: [String: String]) -> ServiceManager { ServiceManager { variables[$0] } }

  @Test(arguments: [false, true]) func `receives the state of the service`(isAbstract: Bool) throws {
    let folder = try TemporaryFolder()
    let name = isAbstract ? "@postback-\(UUID().uuidString)" : folder.path("notify")
    let listener = try Listener(name)
    // The system lists the socket under the same name.
    let names = String(decoding: try WholeFile.read("/proc/net/unix", upTo: 4 << 20), as: UTF8.self).split(
      separator: "\n"
    )
    #expect(names.contains { $0.hasSuffix(" \(name)") })
    let manager = manager(["NOTIFY_SOCKET": name])
    manager.ready()
    #expect(listener.next() == "READY=1")
    manager.status("3 files waiting")
    #expect(listener.next() == "STATUS=3 files waiting")
    manager.status("a\nREADY=1")
    #expect(listener.next() == "STATUS=a\\u{a}READY=1")
    manager.watchdog()
    #expect(listener.next() == "WATCHDOG=1")
    manager.starting("Opening the state, 7 %", within: .seconds(90))
    #expect(listener.next() == "STATUS=Opening the state, 7 %")
    #expect(listener.next() == "EXTEND_TIMEOUT_USEC=90000000")
    manager.stopping()
    #expect(listener.next() == "STOPPING=1")
    #expect(listener.next() == nil)
  }

  @Test func `receives the time at which settings are loaded again`() throws {
    let folder = try TemporaryFolder()
    let listener = try Listener(folder.path("notify"))
    func microseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds / 1000 }
    let before = microseconds()
    manager(["NOTIFY_SOCKET": folder.path("notify")]).reloading()
    let message = listener.next()
    let lines = try #require(message).split(separator: "\n")
    #expect(lines.count == 2 && lines.first == "RELOADING=1")
    let time = try #require(lines.last.flatMap { UInt64($0.dropFirst("MONOTONIC_USEC=".count)) })
    #expect((before...microseconds()).contains(time))
  }

  @Test func `may be absent, gone, or out of reach`() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "x", count: 108)
    for name in ["", "@", "relative", folder.path("missing"), "@\(UUID().uuidString)", "/\(long)", "vsock:2:1"] {
      let manager = manager(["NOTIFY_SOCKET": name])
      manager.ready()
      manager.stopping()
    }
    manager([:]).ready()
    #expect(UnixAddress("/" + long.dropLast(1)) == nil)
    #expect(UnixAddress("/" + long.dropLast(2)) != nil)
    #expect(UnixAddress("@" + long.dropLast(1)) != nil)
  }

  @Test func `does not block the service if it does not read`() throws {
    let folder = try TemporaryFolder()
    let listener = try Listener(folder.path("notify"))
    let manager = manager(["NOTIFY_SOCKET": folder.path("notify")])
    let other = try Listener("@\(UUID().uuidString)")
    let address = try #require(UnixAddress(folder.path("notify")))
    let flags = fcntl(other.descriptor, F_GETFL)
    _ = fcntl(other.descriptor, F_SETFL, flags | O_NONBLOCK)
    while address.send([1], over: other.descriptor) {}
    let start = ContinuousClock.now
    manager.watchdog()
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(listener.next() == "\u{1}")
  }

  @Test func `sets the interval of the watchdog, for the process that it names`() {
    let pid = "\(getpid())"
    #expect(manager(["WATCHDOG_USEC": "30000000"]).watchdogInterval == .seconds(30))
    #expect(manager(["WATCHDOG_USEC": "1", "WATCHDOG_PID": pid]).watchdogInterval == .microseconds(1))
    #expect(manager(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "\(getpid() + 1)"]).watchdogInterval == nil)
    for wrong in ["", "0", "-1", "soon"] { #expect(manager(["WATCHDOG_USEC": wrong]).watchdogInterval == nil) }
    #expect(manager(["WATCHDOG_PID": pid]).watchdogInterval == nil)
  }

  @Test func `passes sockets only to the process that it names`() {
    let own = "\(getpid())"
    #expect(manager(["LISTEN_PID": own, "LISTEN_FDS": "2"]).passedSockets == 3..<5)
    #expect(manager(["LISTEN_PID": own, "LISTEN_FDS": "0"]).passedSockets.isEmpty)
    for count in ["-1", "x", "", "99999999999"] {
      #expect(manager(["LISTEN_PID": own, "LISTEN_FDS": count]).passedSockets.isEmpty, "\(count)")
    }
    #expect(manager(["LISTEN_PID": own]).passedSockets.isEmpty)
    #expect(manager(["LISTEN_FDS": "1"]).passedSockets.isEmpty)
    #expect(manager(["LISTEN_PID": "1", "LISTEN_FDS": "1"]).passedSockets.isEmpty)
  }
}
