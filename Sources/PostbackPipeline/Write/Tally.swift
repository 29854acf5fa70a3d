package import SKAdNetwork

/// What became of the records of a run.
package struct Tally: Sendable, Equatable {
  /// Records read.
  package private(set) var read = 0
  /// Postbacks accepted.
  package private(set) var accepted = 0
  /// Records rejected, duplicates among them.
  package private(set) var rejected = 0
  /// Records rejected, by code.
  package private(set) var rejectedByCode: [RejectCode: Int] = [:]

  /// Nothing yet.
  package init() {}

  /// Counts a batch of outcomes.
  mutating func count<Good>(_ batch: Batch<Good>) {
    read += batch.outcomes.count
    for outcome in batch.outcomes {
      switch outcome {
      case .accepted: accepted += 1
      case .rejected(let rejection):
        rejected += 1
        rejectedByCode[rejection.code, default: 0] += 1
      }
    }
  }
}
