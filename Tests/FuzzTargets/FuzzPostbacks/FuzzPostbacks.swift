import Synchronization

/// The function that libFuzzer calls with each input: a byte of settings, then a file of postbacks.
///
/// For any bytes each record must end in exactly one row, and the rows must be valid JSON and CSV.
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

/// An executor that runs tasks immediately on the calling thread, because switching threads takes longer than most inputs.
private final class Here: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
}

private final class Flag: Sendable {
  let isUp = Atomic(false)
}

/// Stops the process, so that libFuzzer reports the input, unless a condition is true.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { fatalError(sentence()) }
}
