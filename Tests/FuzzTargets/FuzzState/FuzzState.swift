/// What libFuzzer calls with each input: the damage that is done to a state folder and its tables.
///
/// Whatever the damage, what is opened is what was committed, or a `FileFailure` says why it is not.
@c(LLVMFuzzerTestOneInput)
public func fuzzState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count >= 2 else { return 0 }
  let damage = Damage(Array(unsafe UnsafeBufferPointer(start: start, count: count)))
  do { try Recovery.shared.run(damage) } catch { fatalError("\(error)") }
  return 0
}

/// Stops the process, for libFuzzer to see, where something does not hold.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { fatalError(sentence()) }
}
