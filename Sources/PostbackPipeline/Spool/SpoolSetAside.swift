/// The files that could not be moved to `done/` or `failed/`, or not be deleted. They are left alone for a while, so
/// that they do not hold up the others and are not tried again all the time.
struct SpoolSetAside {
  /// The time for which a file is left alone.
  static let pause = Duration.seconds(60)

  private var due: [String: ContinuousClock.Instant] = [:]

  /// The number of files that are left alone.
  var count: Int { due.count }
  /// The time at which the first of them is tried again; nil if there is none.
  var next: ContinuousClock.Instant? { due.values.min() }

  /// Leaves a file alone, from `now` for the length of `pause`.
  mutating func add(_ name: String, at now: ContinuousClock.Instant) { due[name] = now + Self.pause }

  /// Returns the names that are not left alone, including those whose pause is over.
  mutating func others(of names: [SpoolName], at now: ContinuousClock.Instant) -> [SpoolName] {
    guard !due.isEmpty else { return names }
    due = due.filter { $0.value > now }
    let others = names.filter { due[$0.text] == nil }
    // A file that another process has removed since then is forgotten.
    if others.count + due.count > names.count {
      let present = Set(names.map(\.text))
      due = due.filter { present.contains($0.key) }
    }
    return others
  }
}
