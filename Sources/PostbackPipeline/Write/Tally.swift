internal import Base
package import ConversionModel
package import DurableFiles
internal import Ledger
package import SKAdNetwork
internal import Tables

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
  /// The number of accepted postbacks by day of receipt, in days since 1970-01-01, of those that have one.
  package private(set) var acceptedByDay: [Int64: Int] = [:]

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
  mutating func countAccepted(_ status: DecodeStatus, receivedOn day: Int64?) {
    read += 1
    accepted += 1
    acceptedByStatus[status, default: 0] += 1
    if let day { acceptedByDay[day, default: 0] += 1 }
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
    left.acceptedByDay.merge(right.acceptedByDay, uniquingKeysWith: +)
    left.rejectedByCode.merge(right.rejectedByCode, uniquingKeysWith: +)
    for (reject, number) in right.rejectedByForwarder { left.count(number, reject) }
  }
}

extension Tally {
  /// Returns a remark on postbacks that were received on days whose results stay as they are, because rows of them were removed before,
  /// by the ledger in a folder; nil if there are none.
  package func remarkOnRemovedDays(_ ledger: String) throws(FileFailure) -> String? {
    // Removals leave the rows of a day at least.
    guard let first = acceptedByDay.keys.min(), first < Timestamp.now.daysSince1970,
      let end = try Ledger.newestRemovedReceipt(ledger)
    else { return nil }
    let kept = Timestamp(milliseconds: end).daysSince1970 + 1
    let count = acceptedByDay.reduce(0) { $0 + ($1.key < kept ? $1.value : 0) }
    guard count > 0 else { return nil }
    return """
      \(count == 1 ? "1 postback was" : "\(count) postbacks were") received before \(Timestamp.name(ofDay: Int(kept))), and rows \
      of these days were removed because of their age. postback daily does not count them, as the results of these days stay, and \
      postback retain removes them later. Read an old dump into another folder with --out.
      """
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
