package import ConversionModel
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

  /// Postbacks accepted, by what became of their conversion value.
  package private(set) var acceptedByStatus: [DecodeStatus: Int] = [:]

  /// Nothing yet.
  package init() {}

  /// Counts an accepted postback.
  mutating func countAccepted(_ status: DecodeStatus) {
    read += 1
    accepted += 1
    acceptedByStatus[status, default: 0] += 1
  }

  /// Counts a rejected record.
  mutating func countRejected(_ code: RejectCode) {
    read += 1
    rejected += 1
    rejectedByCode[code, default: 0] += 1
  }

  /// Adds what another tally counted.
  static func += (left: inout Tally, right: Tally) {
    left.read += right.read
    left.accepted += right.accepted
    left.rejected += right.rejected
    left.acceptedByStatus.merge(right.acceptedByStatus, uniquingKeysWith: +)
    left.rejectedByCode.merge(right.rejectedByCode, uniquingKeysWith: +)
  }
}
