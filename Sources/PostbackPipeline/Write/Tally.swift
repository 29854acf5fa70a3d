package import ConversionModel
internal import Ledger
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

  /// A reject code with the forwarder of the rejected record.
  package struct ForwardedReject: Hashable, Sendable {
    /// The name of the forwarder in the envelope.
    package let forwarder: String
    /// The reject code.
    package let code: RejectCode

    /// A reject code with a forwarder.
    package init(forwarder: String, code: RejectCode) {
      self.forwarder = forwarder
      self.code = code
    }
  }

  /// The number of rejected records of forwarders, by forwarder and reject code. The names of at most
  /// `forwarderLimit` pairs are kept; the records of further ones are counted only above.
  package private(set) var rejectedByForwarder: [ForwardedReject: Int] = [:]

  private static let forwarderLimit = 2000

  /// Nothing yet.
  package init() {}

  /// Counts an accepted postback.
  mutating func countAccepted(_ status: DecodeStatus) {
    read += 1
    accepted += 1
    acceptedByStatus[status, default: 0] += 1
  }

  /// Counts a rejected record.
  mutating func countRejected(_ code: RejectCode, forwarder: String? = nil) {
    read += 1
    rejected += 1
    rejectedByCode[code, default: 0] += 1
    if let forwarder { count(1, ForwardedReject(forwarder: forwarder, code: code)) }
  }

  private mutating func count(_ number: Int, _ reject: ForwardedReject) {
    guard rejectedByForwarder.count < Self.forwarderLimit || rejectedByForwarder[reject] != nil else { return }
    rejectedByForwarder[reject, default: 0] += number
  }

  /// Adds the counts of another tally.
  static func += (left: inout Tally, right: Tally) {
    left.read += right.read
    left.accepted += right.accepted
    left.rejected += right.rejected
    left.acceptedByStatus.merge(right.acceptedByStatus, uniquingKeysWith: +)
    left.rejectedByCode.merge(right.rejectedByCode, uniquingKeysWith: +)
    for (reject, number) in right.rejectedByForwarder { left.count(number, reject) }
  }
}

extension LedgerCommit {
  /// Adds the counts of records to the ledger's counters.
  mutating func count(_ tally: Tally) {
    let counts: [(LedgerCounter, Int)] = [
      (.read, tally.read), (.accepted, tally.accepted), (.rejected, tally.rejected),
    ]
    for (counter, value) in counts where value > 0 { increments[counter, default: 0] += Int64(value) }
    for (code, value) in tally.rejectedByCode { increments[.rejected(code), default: 0] += Int64(value) }
  }
}
