/// An error that ends the benchmark: a tool failed, or the measured program gave a wrong result.
struct BenchmarkFailure: Error, CustomStringConvertible {
  /// The cause, with advice for the user.
  let description: String

  init(_ description: String) { self.description = description }
}
