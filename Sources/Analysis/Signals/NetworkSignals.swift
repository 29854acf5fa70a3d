internal import SKAdNetwork

/// What stands out in the postbacks of one ad network: what is not signed, and how often it comes again.
package struct NetworkSignals: Sendable, Equatable {
  /// Accepted postbacks.
  package internal(set) var accepted = 0
  /// Accepted postbacks with a flag, by flag, in the order of the flags' names.
  package internal(set) var tierFlags = [Int](repeating: 0, count: TierFlags.names.count)
  /// Accepted postbacks with at least one flag.
  package internal(set) var flagged = 0
  /// Redownloads, of those that say.
  package internal(set) var redownload = ShareCount()
  /// View-through ads (fidelity-type 0), of those that say.
  package internal(set) var viewThrough = ShareCount()
  /// Won attributions, of those that say.
  package internal(set) var won = ShareCount()
  /// Rejected copies of a postback that say the same: retries, and what came by another channel.
  package internal(set) var copies = 0
  /// Postbacks of which there is a copy, as far as they are counted.
  package internal(set) var copied = 0
  /// The most copies of one postback.
  package internal(set) var mostCopies = 0
  /// Postbacks whose last copy came later than a retry would.
  package internal(set) var lateReplays = 0

  static func += (left: inout NetworkSignals, right: NetworkSignals) {
    left.accepted += right.accepted
    for index in left.tierFlags.indices { left.tierFlags[index] += right.tierFlags[index] }
    left.flagged += right.flagged
    left.redownload += right.redownload
    left.viewThrough += right.viewThrough
    left.won += right.won
    left.copies += right.copies
    left.copied += right.copied
    left.mostCopies = max(left.mostCopies, right.mostCopies)
    left.lateReplays += right.lateReplays
  }
}

/// How many of some are so.
package struct ShareCount: Sendable, Equatable {
  /// Those that are.
  package private(set) var count = 0
  /// All.
  package private(set) var total = 0

  mutating func add(_ isSo: Bool?) {
    guard let isSo else { return }
    total += 1
    if isSo { count += 1 }
  }

  static func += (left: inout ShareCount, right: ShareCount) {
    left.count += right.count
    left.total += right.total
  }
}
