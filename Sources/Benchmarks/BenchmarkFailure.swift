/// Why there is nothing to report: a tool failed, or what was measured did not do its work.
struct BenchmarkFailure: Error, CustomStringConvertible {
  /// What happened, and what to do.
  let description: String

  init(_ description: String) { self.description = description }
}
