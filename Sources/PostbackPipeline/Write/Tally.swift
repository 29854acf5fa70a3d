package import ConversionModel
package import SKAdNetwork

/// The counts of accepted and rejected records of a run. `read` is always the sum of `accepted` and `rejected`.
package struct Tally: Sendable, Equatable {
  /// The number of records read.
  package private(set) var read = 0
  /// The number of accepted postbacks.
  package private(set) var accepted = 0
  /// The number of rejected records, duplicates included.
  package private(set) var rejected = 0
  /// The number of rejected records by reject code.
  package private(set) var rejectedByCode: [RejectCode: Int] = [:]

  /// The number of accepted postbacks with each `decode_status`.
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

  /// Adds the counts of another tally.
  static func += (left: inout Tally, right: Tally) {
    left.read += right.read
    left.accepted += right.accepted
    left.rejected += right.rejected
    left.acceptedByStatus.merge(right.acceptedByStatus, uniquingKeysWith: +)
    left.rejectedByCode.merge(right.rejectedByCode, uniquingKeysWith: +)
  }
}
