/// A tracker of files that are written in place: a file has settled once it has not changed for the settle time.
///
/// It reads neither a clock nor a disk. The caller passes the files that exist, and the time.
struct SpoolSettling {
  private struct Sighting {
    let identity: SpoolIdentity
    let since: ContinuousClock.Instant
  }

  private let settleTime: Duration
  private var sightings: [String: Sighting] = [:]
  /// The time at which the next unsettled file settles, if it does not change; nil if there is none.
  private(set) var nextSettles: ContinuousClock.Instant?

  init(_ settleTime: Duration) { self.settleTime = settleTime }

  /// Returns the names that have settled. Forgets every name that is not in `identities`.
  mutating func settled(
    _ identities: [String: SpoolIdentity],
    at now: ContinuousClock.Instant
  ) -> Set<String> {
    var settled: Set<String> = []
    sightings = identities.reduce(into: [:]) { kept, file in
      let earlier = sightings[file.key].flatMap { $0.identity == file.value ? $0 : nil }
      kept[file.key] = earlier ?? Sighting(identity: file.value, since: now)
    }
    nextSettles = nil
    for (name, sighting) in sightings {
      let due = sighting.since + settleTime
      if due <= now {
        settled.insert(name)
      } else {
        nextSettles = min(nextSettles ?? due, due)
      }
    }
    return settled
  }
}
