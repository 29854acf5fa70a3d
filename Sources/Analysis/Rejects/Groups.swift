/// How many rows are of a kind, and when the first and last of them were received.
package struct RowTally: Sendable, Equatable {
  /// Rows.
  package var count = 0
  /// The earliest time of receipt, in milliseconds since 1970; nil where no row has one.
  package var firstSeen: Int64?
  /// The latest time of receipt.
  package var lastSeen: Int64?

  /// No rows.
  package init() {}

  mutating func add(at time: Int64?) {
    count += 1
    guard let time else { return }
    firstSeen = min(firstSeen ?? time, time)
    lastSeen = max(lastSeen ?? time, time)
  }

  /// Adds other rows.
  package static func += (left: inout RowTally, right: RowTally) {
    left.count += right.count
    if let first = right.firstSeen { left.firstSeen = min(left.firstSeen ?? first, first) }
    if let last = right.lastSeen { left.lastSeen = max(left.lastSeen ?? last, last) }
  }
}

/// Tallies by group, of which only so many are kept: of more than that the rows are counted together.
struct Groups: Sendable {
  /// The tally of each group that is kept.
  private(set) var tallies: [GroupKey: RowTally] = [:]
  /// The rows of all groups that are not kept.
  private(set) var rest = RowTally()
  private var keyBytes = 0
  private let limit: Int

  /// The most groups that are kept unless told.
  static let largestCount = 100_000
  private static let largestKeyBytes = 32 << 20

  init(limit: Int = Groups.largestCount) { self.limit = limit }

  mutating func add(_ key: GroupKey, at time: Int64?) {
    tallies[key, default: RowTally()].add(at: time)
  }

  mutating func add(_ key: GroupKey, count: Int = 1) {
    tallies[key, default: RowTally()].count += count
  }

  /// Adds the groups of rows that come later.
  mutating func merge(_ later: Groups) {
    // In an order that depends on the rows alone, so that the groups that are kept do.
    for (key, tally) in later.tallies.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      if tallies[key] == nil {
        guard tallies.count < limit, keyBytes + key.bytes.count <= Self.largestKeyBytes else {
          rest += tally
          continue
        }
        keyBytes += key.bytes.count
      }
      tallies[key, default: RowTally()] += tally
    }
    rest += later.rest
  }
}
