/// The function that libFuzzer calls with each input: a byte of settings, then a text with postbacks.
///
/// For any bytes each record must end in exactly one row, and the rows must be valid JSON and CSV.
@c(LLVMFuzzerTestOneInput)
public func fuzzRows(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(unsafe UnsafeBufferPointer(start: start, count: count))
  guard let choice = bytes.first else { return 0 }
  do { try Flow.shared.run(choice, Array(bytes.dropFirst())) } catch { fatalError("\(error)") }
  return 0
}

/// Stops the process, so that libFuzzer reports the input, unless a condition is true.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
  if !condition { fatalError(sentence()) }
}
