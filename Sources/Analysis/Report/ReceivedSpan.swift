internal import SKAdNetwork
internal import TableReading

/// The origin of a time of receipt: the postback itself, or a source that many records share.
package enum TimeOrigin: Int, CaseIterable, Sendable {
  /// The envelope, or a key of the postback; also the origin if the table does not name one.
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
  /// The first and the last time, in milliseconds since 1970; nil if there are none.
  package let times: (first: Int64, last: Int64)?
  /// The number of records whose time has another origin, by origin.
  package let others: [(origin: TimeOrigin, count: Int)]

  /// Computes the span from tallies by `received_at_source`.
  init(_ sources: GroupTallies) {
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
  func withoutSources(_ groups: GroupTallies) -> [(values: [String?], tally: RowTally)] {
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

/// Counts by code in equal steps of time.
package struct Timeline: Sendable {
  /// The length of a step, in hours.
  package let stepHours: Int
  /// The beginning of the first step, in hours since 1970.
  package let start: Int
  /// The number of steps.
  package let count: Int
  /// The counts of each code, those with the most rejects first.
  package let series: [(code: String, counts: [Int])]
  /// The number of rejects in no step: without a time, with a time of another origin, or too long before the others.
  package let undated: Int

  /// The lengths that a step may have: a chart has at most `largestCount` of them.
  private static let lengths = [1, 3, 6, 12, 24, 7 * 24, 28 * 24, 364 * 24]
  private static let largestCount = 120

  /// Creates a timeline from counts by code and hour since 1970. If the hours need more than `largestCount` steps of
  /// the greatest length, only the latest steps are kept.
  init(_ hours: [(hour: Int, code: String, count: Int)], undated: Int) {
    let (first, last) = (hours.map(\.hour).min() ?? 0, hours.map(\.hour).max() ?? -1)
    let length =
      Self.lengths.first { last / $0 - first / $0 < Self.largestCount } ?? Self.lengths[Self.lengths.count - 1]
    // Weeks begin on Mondays, and 1970 began on a Thursday.
    let shift = length == 7 * 24 ? 3 * 24 : 0
    func step(_ hour: Int) -> Int { (hour + shift) / length }
    let start = Swift.max(step(first), step(last) - Self.largestCount + 1)
    let count = hours.isEmpty ? 0 : step(last) - start + 1
    var series: [String: [Int]] = [:]
    var early = 0
    for entry in hours {
      let place = step(entry.hour) - start
      if place < 0 {
        early += entry.count
      } else {
        series[entry.code, default: [Int](repeating: 0, count: count)][place] += entry.count
      }
    }
    stepHours = length
    self.start = start * length - shift
    self.count = count
    self.series = series.sorted { ($1.value.reduce(0, +), $0.key) < ($0.value.reduce(0, +), $1.key) }
      .map { ($0.key, $0.value) }
    self.undated = undated + early
  }
}
