/// A count of rows, with the earliest and the latest time of receipt.
package struct RowTally: Sendable, Equatable {
  /// The number of rows.
  package var count = 0
  /// The earliest time of receipt, in milliseconds since 1970; nil where no row has one.
  package var firstSeen: Int64?
  /// The latest time of receipt, in milliseconds since 1970; nil where no row has one.
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

/// Tallies by group. `merge` keeps a limited number of groups; the rows of all further ones are counted together in
/// `rest`.
struct Groups: Sendable {
  /// The tally of each group that is kept.
  private(set) var tallies: [GroupKey: RowTally] = [:]
  /// The rows of all groups that are not kept.
  private(set) var rest = RowTally()
  private var keyBytes = 0
  private let limit: Int

  /// The default limit for the number of groups.
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
    // The order depends on the rows alone, so that the groups that are kept depend on them alone, too.
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
