@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Signals of the process` {
  @Test func `ask to end, except the one for new settings`() {
    #expect([SIGHUP, SIGTERM, SIGINT].map { ReceivedSignal(number: $0).asksToEnd } == [false, true, true])
  }

  @Test func `are reported instead of ending the process, also while it waits`() async {
    // Of its own process, as the signals are; its first thread waits in libdispatch, as that of the command does.
    await #expect(processExitsWith: .success) {
      let signals = try UnixSignals()
      #expect(signals.pending() == [])
      let site = try SpoolSite()
      let waiter = SpoolWaiter(try site.folder(), signals: signals)
      kill(getpid(), SIGHUP)
      #expect(try waiter.wait(upTo: .seconds(20)) == .signal(ReceivedSignal(number: SIGHUP)))
      #expect(try waiter.wait(upTo: .zero) == .timeout)
      let thread = Thread {
        usleep(50_000)
        kill(getpid(), SIGTERM)
      }
      thread.start()
      #expect(try waiter.wait(upTo: .seconds(20)) == .signal(ReceivedSignal(number: SIGTERM)))
      // Signals before input.
      try site.put("a")
      kill(getpid(), SIGINT)
      let start = ContinuousClock.now
      var wakeup = Wakeup.input
      while wakeup == .input, ContinuousClock.now - start < .seconds(20) {
        wakeup = try waiter.wait(upTo: .seconds(20))
        if wakeup == .input { try site.put("b") }
      }
      #expect(wakeup == .signal(ReceivedSignal(number: SIGINT)))
      kill(getpid(), SIGTERM)
      var pending: [ReceivedSignal] = []
      while pending.isEmpty, ContinuousClock.now - start < .seconds(20) { pending = signals.pending() }
      #expect(pending == [ReceivedSignal(number: SIGTERM)])
      #expect(signals.pending() == [])
    }
  }

  @Test func `end the process again after the handlers are removed`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      do { _ = try UnixSignals() }
      kill(getpid(), SIGTERM)
      sleep(20)
    }
  }
}
