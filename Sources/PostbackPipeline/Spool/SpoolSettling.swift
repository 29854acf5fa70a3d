/// Tells when a file that is written in place has come to rest: when nothing of it has changed for the settle time.
///
/// Knows no clock and no disk: who scans says what there is, and when that is.
struct SpoolSettling {
  private struct Sighting {
    let identity: SpoolIdentity
    let since: ContinuousClock.Instant
  }

  private let settleTime: Duration
  private var sightings: [String: Sighting] = [:]
  /// When the next file settles that has not yet, if it stays as it is.
  private(set) var nextSettles: ContinuousClock.Instant?

  init(_ settleTime: Duration) { self.settleTime = settleTime }

  /// Which of these names have settled; names that are not among them are forgotten.
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
