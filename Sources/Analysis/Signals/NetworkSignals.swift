internal import SKAdNetwork

/// Signals in the postbacks of one ad network: implausible fields, shares of some field values, and copies.
package struct NetworkSignals: Sendable, Equatable {
  /// The number of accepted postbacks.
  package internal(set) var accepted = 0
  /// The number of accepted postbacks with each tier flag, in the order of `TierFlags.names`.
  package internal(set) var tierFlags = [Int](repeating: 0, count: TierFlags.names.count)
  /// The number of accepted postbacks with at least one flag other than `zeroMayBeNull`, which doubts the forwarder and
  /// not the data tier.
  package internal(set) var flagged = 0
  /// The share of redownloads among postbacks with the field.
  package internal(set) var redownload = ShareCount()
  /// The share of view-through ads (fidelity-type 0) among postbacks with the field.
  package internal(set) var viewThrough = ShareCount()
  /// The share of won attributions among postbacks with the field.
  package internal(set) var won = ShareCount()
  /// The number of rejected identical copies: retries, and postbacks that came through another channel too.
  package internal(set) var copies = 0
  /// The number of postbacks with at least one such copy.
  package internal(set) var copied = 0
  /// The largest number of copies of one postback.
  package internal(set) var mostCopies = 0
  /// The number of accepted postbacks whose last copy came too late to be a retry.
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

/// A count with its total, as a share.
package struct ShareCount: Sendable, Equatable {
  /// The number of records with the property.
  package private(set) var count = 0
  /// The number of records for which the property is known.
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
