internal import PostbackPipeline

/// How a time of receipt is known: of the postback itself, or of many at once.
package enum TimeOrigin: Int, CaseIterable, Sendable {
  /// The envelope, or a key of the postback. Also where a table does not say.
  case ownTime
  /// `--received-at`, one time for all that have none.
  case option
  /// The modification time of the input.
  case file

  /// The origin that `received_at_source` names.
  init(_ source: String?) {
    switch source.flatMap(ReceivedAtSource.init) {
    case .option: self = .option
    case .fileModified: self = .file
    case .envelope, .field, nil: self = .ownTime
    }
  }
}

/// When records were received, as far as it can be told: by the times of postbacks, where any has one, else by the times that
/// were given to all, else by those of files.
///
/// A line that is cut has no envelope: the time of its file may be months after that of all others.
package struct ReceivedSpan: Sendable {
  /// The times that count.
  package let origin: TimeOrigin
  /// The first and the last of them, in milliseconds since 1970; nil where there are none.
  package let times: (first: Int64, last: Int64)?
  /// Records with another kind of time.
  package let others: [(origin: TimeOrigin, count: Int)]

  /// The span of tallies by `received_at_source`.
  init(_ sources: Groups) {
    var tallies = [RowTally](repeating: RowTally(), count: TimeOrigin.allCases.count)
    for (key, tally) in sources.tallies { tallies[TimeOrigin(key.values[0]).rawValue] += tally }
    let origin = TimeOrigin.allCases.first { tallies[$0.rawValue].firstSeen != nil } ?? .ownTime
    self.origin = origin
    let tally = tallies[origin.rawValue]
    times = tally.firstSeen.flatMap { first in tally.lastSeen.map { (first, $0) } }
    others = TimeOrigin.allCases.filter { $0 != origin && tallies[$0.rawValue].firstSeen != nil }
      .map { ($0, tallies[$0.rawValue].count) }
  }

  /// Tallies that are grouped by `received_at_source` and more, by the rest alone; times that do not count are left out.
  func withoutSources(_ groups: Groups) -> [(values: [String?], tally: RowTally)] {
    var found: [[String?]: RowTally] = [:]
    for (key, tally) in groups.tallies {
      let values = key.values
      var tally = tally
      if TimeOrigin(values[0]) != origin { (tally.firstSeen, tally.lastSeen) = (nil, nil) }
      found[Array(values.dropFirst()), default: RowTally()] += tally
    }
    return found.map { ($0.key, $0.value) }
  }
}
