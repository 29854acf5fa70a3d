/// The function that libFuzzer calls with each input: a damage to a state folder and its tables.
///
/// After any damage the opened state must equal the committed one, or a `FileFailure` must explain the difference.
@c(LLVMFuzzerTestOneInput)
public func fuzzRecovery(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count >= 2 else { return 0 }
  let damage = Damage(Array(unsafe UnsafeBufferPointer(start: start, count: count)))
  do { try Recovery.shared.run(damage) } catch { fatalError("\(error)") }
  return 0
}

/// Stops the process, so that libFuzzer reports the input, unless a condition is true.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { fatalError(sentence()) }
}
