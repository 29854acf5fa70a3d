/// The files that could be neither filed away nor moved to `failed/`: left alone for a while, so that they neither hold
/// up the others nor are tried again and again.
struct SpoolSetAside {
  /// How long a file is left alone.
  static let pause = Duration.seconds(60)

  private var due: [String: ContinuousClock.Instant] = [:]

  /// How many there are.
  var count: Int { due.count }
  /// When the first of them is tried again.
  var next: ContinuousClock.Instant? { due.values.min() }

  /// Leaves a file alone from now on.
  mutating func add(_ name: String, at now: ContinuousClock.Instant) { due[name] = now + Self.pause }

  /// The names that are not left alone; those whose time has come are among them.
  mutating func others(of names: [SpoolName], at now: ContinuousClock.Instant) -> [SpoolName] {
    guard !due.isEmpty else { return names }
    due = due.filter { $0.value > now }
    let others = names.filter { due[$0.text] == nil }
    // A file that somebody has taken away meanwhile is no longer waited for.
    if others.count + due.count > names.count {
      let present = Set(names.map(\.text))
      due = due.filter { present.contains($0.key) }
    }
    return others
  }
}
