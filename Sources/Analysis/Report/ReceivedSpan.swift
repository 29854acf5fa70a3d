internal import Base
internal import PostbackPipeline

/// The origin of a time of receipt: the postback itself, or a source that many records share.
package enum TimeOrigin: Int, CaseIterable, Sendable {
  /// The envelope, or a key of the postback; also the origin where the table does not name one.
  case ownTime
  /// The value of `--received-at`, for all records that have no time of their own.
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

/// The span of time in which records were received. It counts times of one origin only: those of the postbacks
/// themselves if there are any, else the value of `--received-at`, else the modification times of files.
///
/// A truncated line has no envelope, and the modification time of its file may be months later than all other times.
package struct ReceivedSpan: Sendable {
  /// The origin of the times that count.
  package let origin: TimeOrigin
  /// The first and the last time, in milliseconds since 1970; nil where there are none.
  package let times: (first: Int64, last: Int64)?
  /// The number of records whose time has another origin, by origin.
  package let others: [(origin: TimeOrigin, count: Int)]

  /// Computes the span from tallies by `received_at_source`.
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

  /// Merges tallies that are grouped by `received_at_source` and other columns into tallies by the other columns. Times
  /// of an origin that does not count are removed; the counts stay.
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
