@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Signals of the process` {
  @Test func `distinguish the first request to end from further ones`() {
    var history = SignalHistory()
    let numbers = [SIGHUP, SIGHUP, SIGTERM, SIGHUP, SIGINT, SIGTERM]
    #expect(numbers.map { history.receive($0).isRepeated } == [false, false, false, false, true, true])
    #expect(numbers.map { history.receive($0).asksToEnd } == [false, false, true, false, true, true])
  }

  @Test func `are reported instead of ending the process, also while it waits`() async {
    // Of its own process, as the signals are; its first thread waits in libdispatch, as that of the command does.
    await #expect(processExitsWith: .success) {
      let signals = try Signals()
      #expect(signals.pending() == [])
      let site = try SpoolSite()
      let waiter = SpoolWaiter(try site.folder(), signals: signals)
      kill(getpid(), SIGHUP)
      #expect(try waiter.wait(upTo: .seconds(20)) == .signal(ReceivedSignal(number: SIGHUP, isRepeated: false)))
      #expect(try waiter.wait(upTo: .zero) == .timeout)
      let thread = Thread {
        usleep(50_000)
        kill(getpid(), SIGTERM)
      }
      thread.start()
      #expect(try waiter.wait(upTo: .seconds(20)) == .signal(ReceivedSignal(number: SIGTERM, isRepeated: false)))
      // Signals before input.
      try site.put("a")
      kill(getpid(), SIGINT)
      let start = ContinuousClock.now
      var wakeup = Wakeup.input
      while wakeup == .input, ContinuousClock.now - start < .seconds(20) {
        wakeup = try waiter.wait(upTo: .seconds(20))
        if wakeup == .input { try site.put("b") }
      }
      #expect(wakeup == .signal(ReceivedSignal(number: SIGINT, isRepeated: true)))
      kill(getpid(), SIGTERM)
      var pending: [ReceivedSignal] = []
      while pending.isEmpty, ContinuousClock.now - start < .seconds(20) { pending = signals.pending() }
      #expect(pending == [ReceivedSignal(number: SIGTERM, isRepeated: true)])
      #expect(signals.pending() == [])
    }
  }

  @Test func `end the process again after the handlers are removed`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      do { _ = try Signals() }
      kill(getpid(), SIGTERM)
      sleep(20)
    }
  }
}
