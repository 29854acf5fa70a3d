import Synchronization

/// What libFuzzer calls with each input: a byte that says what is done with the others, and a file of postbacks.
///
/// Whatever the bytes are, each record that is framed ends in exactly one row, and the rows are JSON and CSV.
@c(LLVMFuzzerTestOneInput)
public func fuzzPostbacks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(unsafe UnsafeBufferPointer(start: start, count: count))
  guard let choice = bytes.first else { return 0 }
  let flag = Flag()
  Task(executorPreference: Here()) {
    do { try await Flow.shared.run(choice, Array(bytes.dropFirst())) } catch { fatalError("\(error)") }
    flag.isUp.store(true, ordering: .relaxed)
  }
  require(flag.isUp.load(ordering: .relaxed), "nothing waits in the flow")
  return 0
}

/// Runs tasks where and when they are made: going to another thread and back takes longer than most inputs.
private final class Here: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
}

private final class Flag: Sendable {
  let isUp = Atomic(false)
}

/// Stops the process, for libFuzzer to see, where something does not hold.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { fatalError(sentence()) }
}
