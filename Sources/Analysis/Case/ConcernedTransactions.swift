package import ConversionModel
package import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
package import TableReading
internal import Tables

/// A suspicious reject of a case or a late resend, with the accepted copy of the same postback beside it if there is one.
package struct ConcernedTransaction: Sendable {
  /// One copy of a postback: its sender, its time, and the values that Apple does not sign.
  package struct Copy: Sendable {
    /// The channel and the forwarder.
    package let origin: CopyOrigin
    /// The time of receipt, as the table has it.
    package let receivedAt: String?
    /// The values by the names of `ConcernedTransaction.fields`; nil where the copy has none.
    package internal(set) var values: [String?]
    /// The revenue that the values mean, with its currency; nil if it is not known.
    package internal(set) var revenue: (amount: Amount, currency: String)?
  }

  /// The names of the unsigned values.
  package static let fields = ["conversion-value", "coarse-conversion-value", "country-code"]

  /// The reject code of the later copy.
  package let code: String
  /// The id of the transaction, the ad network and the app, as the reject has them.
  package let transaction, network, app: String?
  /// The conversion window of the accepted copy; nil if there is none.
  package internal(set) var window: String?
  /// The accepted copy; nil if the tables have none.
  package internal(set) var first: Copy?
  /// The rejected copy.
  package internal(set) var later: Copy
  /// The time of receipt of the rejected copy in milliseconds since 1970; nil if it is not known.
  let time: Int64?
  /// The SHA-256 of the rejected bytes, and the key of the accepted copy.
  let digest: String
  let key: PostbackKey?

  /// Indicates that the rejected copy has the values of the accepted one.
  var isResend: Bool { code == RejectCode.duplicateIdentical.rawValue }

  /// The sender to which the difference is attributed: if one of the two copies is a device's own, that of the other one. A late
  /// resend is that of its own sender.
  package var attributedTo: CopyOrigin? { isResend ? later.origin : Conflicts.attributed(first?.origin, later.origin) }

  /// The device's own copy and the other one; nil unless one of the two is a device's own.
  package var ofDevice: (own: Copy, other: Copy)? {
    guard let first, attributedTo != nil else { return nil }
    return first.origin.isDirect ? (first, later) : (later, first)
  }
}

/// The transactions of a case that are suspicious: rejects of this class, and copies that a sender sent again late, with the accepted
/// copies of the same postbacks.
/// The memory is bounded.
package struct ConcernedTransactions: Sendable {
  /// The transactions, by the time of the later copy.
  package private(set) var rows: [ConcernedTransaction] = []
  /// The number of rejects that are left out, because there are too many.
  package private(set) var unlisted = 0
  private var meanings: [GroupKey: Meaning] = [:]

  private static let mostRows = 200_000
  private static let mostMeanings = 100_000

  /// Finds the transactions in which either copy meets the conditions. With `wantsRevenue`, the revenue of a rejected
  /// copy is that of accepted postbacks with the same value, of the same app, version and window. A resend is late if it comes more
  /// than `lateAfterDays` days after the first copy of its sender.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    wantsRevenue: Bool,
    lateAfterDays: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    var reader = ConcernedReader(query, wantsRevenue: wantsRevenue)
    var found: [(row: ConcernedTransaction, matches: Bool)] = []
    // Most resends are early, so that they have their own number of places.
    var (resends, others) = (0, 0)
    try await rejects.scan(jobs: jobs) { [reader] in
      reader.rejects(in: $0)
    } take: { part in
      for isResend in [false, true] {
        let (new, room) = (part.filter { $0.row.isResend == isResend }, Self.mostRows - (isResend ? resends : others))
        unlisted += new.dropFirst(room).count
        found += new.prefix(room)
        if isResend { resends += min(new.count, room) } else { others += min(new.count, room) }
      }
    }
    reader.keys = Set(found.compactMap(\.row.key))
    var firsts: [PostbackKey: ConcernedReader.First] = [:]
    try await accepted.scan(jobs: jobs) { [reader] in
      reader.accepted(in: $0)
    } take: { part in
      firsts.merge(part.firsts) { one, _ in one }
      for (key, meaning) in part.meanings { note(meaning, of: key) }
    }
    let earliest = Self.earliest(found.map(\.row), firsts)
    for (row, matches) in found {
      let first = row.key.flatMap { firsts[$0] }
      if row.isResend {
        guard let key = row.key, let time = row.time else { continue }
        let start = earliest[Sender(key: key, origin: row.later.origin)] ?? time
        guard time - start > Int64(lateAfterDays) * 86_400_000 else { continue }
      }
      guard matches || first?.matches == true else { continue }
      var row = row
      if let first { complete(&row, first) }
      rows.append(row)
    }
    rows.sort { ($0.later.receivedAt ?? "", $0.digest) < ($1.later.receivedAt ?? "", $1.digest) }
  }

  /// A sender of copies of a postback.
  private struct Sender: Hashable {
    let key: PostbackKey
    let origin: CopyOrigin
  }

  /// The time of the first copy of each sender of a postback.
  private static func earliest(
    _ rows: [ConcernedTransaction],
    _ firsts: [PostbackKey: ConcernedReader.First]
  ) -> [Sender: Int64] {
    var times: [Sender: Int64] = [:]
    func note(_ key: PostbackKey?, _ origin: CopyOrigin, _ time: Int64?) {
      guard let key, let time else { return }
      let sender = Sender(key: key, origin: origin)
      times[sender] = min(time, times[sender] ?? time)
    }
    for row in rows { note(row.key, row.later.origin, row.time) }
    for (key, first) in firsts { note(key, first.copy.origin, first.time) }
    return times
  }

  /// Adds the accepted copy, and what the later one has of it: only the values that differ are in the row of a reject.
  private func complete(_ row: inout ConcernedTransaction, _ first: ConcernedReader.First) {
    row.first = first.copy
    row.window = first.window
    guard row.isResend || row.code == RejectCode.duplicateConflict.rawValue else { return }
    for index in row.later.values.indices where row.later.values[index] == ConcernedReader.unchanged {
      row.later.values[index] = first.copy.values[index]
    }
    let key = ConcernedReader.meaningKey(first.place, row.later.values)
    if case .revenue(let amount, let currency) = meanings[key] { row.later.revenue = (amount, currency) }
  }

  private mutating func note(_ meaning: Meaning, of key: GroupKey) {
    if let known = meanings[key] {
      if known != meaning { meanings[key] = .several }
    } else if meanings.count < Self.mostMeanings {
      meanings[key] = meaning
    }
  }

  /// The meaning of accepted postbacks with a value.
  enum Meaning: Equatable {
    case revenue(Amount, String)
    case several
  }

  /// The copy that a row of rejects is of. Several senders may send the same bytes.
  private struct Copy: Hashable {
    let digest: String
    let origin: CopyOrigin
    let receivedAt: String?
  }

  /// Returns the rows of both tables for some transactions, as JSON: the rejected line, and the accepted one; nil for a transaction
  /// without one of them.
  package static func lines(
    of chosen: [ConcernedTransaction],
    rejects: TableFiles,
    accepted: TableFiles,
    jobs: Int
  ) async throws(PipelineFailure) -> [(rejected: [UInt8], accepted: [UInt8])?] {
    let digests = Set(chosen.map(\.digest))
    let keys = Set(chosen.compactMap(\.key))
    guard !digests.isEmpty else { return [] }
    let (columns, key) = (RejectColumns(), PostbackColumns().key)
    var rejected: [Copy: [UInt8]] = [:]
    try await rejects.scan(jobs: jobs) { batch in
      var lines: [Copy: [UInt8]] = [:]
      var row = RowCursor(batch, of: .rejects)
      while row.next() {
        guard let text = row.text(columns.digest), digests.contains(text) else { continue }
        let origin = CopyOrigin(channel: row.text(columns.channel), forwarder: row.text(columns.forwarder))
        lines[Copy(digest: text, origin: origin, receivedAt: row.text(columns.receivedAt))] = row.line
      }
      return lines
    } take: {
      rejected.merge($0) { one, _ in one }
    }
    var found: [PostbackKey: [UInt8]] = [:]
    try await accepted.scan(jobs: jobs) { batch in
      var lines: [PostbackKey: [UInt8]] = [:]
      var row = RowCursor(batch, of: .postbacks)
      while row.next() { if let key = row.key(key), keys.contains(key) { lines[key] = row.line } }
      return lines
    } take: {
      found.merge($0) { one, _ in one }
    }
    return chosen.map { row in
      let copy = Copy(digest: row.digest, origin: row.later.origin, receivedAt: row.later.receivedAt)
      guard let one = rejected[copy], let other = row.key.flatMap({ found[$0] }) else { return nil }
      return (one, other)
    }
  }
}
