/// A clock that never goes back.
///
/// It gives a duration, and not an instant of `ContinuousClock`, whose size the compiler does not know: each copy of a value that
/// holds one asks the type at run time.
enum SteadyTime {
  private static let start = ContinuousClock.now

  /// The time since the first use of the clock in this process.
  static var now: Duration { .now - start }
}
