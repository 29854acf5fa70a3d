internal import JSON
package import PostbackPipeline
package import Statistics
internal import PostbackVerification
internal import SKAdNetwork
package import TableReading
package import Tables

/// Signals among accepted postbacks, by ad network.
///
/// A signal proves nothing: it only shows which networks deserve a closer look.
package struct SignalSurvey: Sendable {
  /// The ad networks and their signals, those with the most postbacks first.
  package let networks: [(network: String, signals: NetworkSignals)]
  /// The signals of all networks together.
  package let total: NetworkSignals
  /// The number of accepted postbacks of networks that are left out, because there are too many.
  package let uncounted: Int
  /// The number of copies whose postback is left out, because there are too many.
  package let unfollowedCopies: Int
  /// The lines of the tables that are not rows.
  package let unreadable: UnreadableRows

  /// Reads the tables. Of the query, only the span of time and the conditions on columns of both tables apply.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    jobs: Int
  ) async throws(PipelineFailure) {
    let filter = RowFilter(query.sharedConditions, during: query.span, in: .rejects)
    let acceptedFilter = RowFilter(query.sharedConditions, during: query.span, in: .postbacks)
    let columns = PostbackColumns()
    var copies = CopyTable()
    var unreadable = UnreadableRows()
    try await rejects.scan(jobs: jobs) { batch in
      CopyPart(batch, filter)
    } take: { part in
      copies.merge(part.copies)
      unreadable += part.unreadable
    }
    var all = SignalPart()
    try await accepted.scan(jobs: jobs) { batch in
      SignalPart(batch, acceptedFilter, columns)
    } take: { part in
      all.merge(part)
    }
    for (network, signals) in copies.signals() { all.networks[network, default: NetworkSignals()] += signals }
    networks = all.networks.sorted { ($1.value.accepted, $0.key) < ($0.value.accepted, $1.key) }
      .map { ($0.key, $0.value) }
    total = all.networks.values.reduce(into: NetworkSignals()) { $0 += $1 }
    uncounted = all.uncounted
    unfollowedCopies = copies.unfollowed
    unreadable += all.unreadable
    self.unreadable = unreadable
  }
}

/// The number of identical copies of each postback.
struct CopyTable: Sendable {
  struct Copies: Sendable {
    var count: Int
    var network: String
  }

  /// The copies of each postback, by its key.
  private(set) var copies: [PostbackKey: Copies] = [:]
  /// The number of copies of further postbacks, which are left out.
  private(set) var unfollowed = 0

  private static let largestCount = 1_000_000

  mutating func add(_ key: PostbackKey, _ new: Copies) {
    guard var known = copies[key] else {
      if copies.count < Self.largestCount { copies[key] = new } else { unfollowed += new.count }
      return
    }
    known.count += new.count
    copies[key] = known
  }

  mutating func merge(_ later: [(PostbackKey, Copies)]) {
    for (key, copies) in later { add(key, copies) }
  }

  /// The counts of copies by ad network. All other signals are 0.
  func signals() -> [String: NetworkSignals] {
    var networks: [String: NetworkSignals] = [:]
    for copies in copies.values {
      var signals = NetworkSignals()
      (signals.copies, signals.copied, signals.mostCopies) = (copies.count, 1, copies.count)
      networks[copies.network, default: NetworkSignals()] += signals
    }
    return networks
  }
}

/// The copies in a batch of rejects.
private struct CopyPart: Sendable {
  var copies: [(PostbackKey, CopyTable.Copies)] = []
  var unreadable: UnreadableRows

  init(_ batch: RawBatch, _ filter: RowFilter) {
    let columns = RejectColumns()
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard row.text(columns.code) == RejectCode.duplicateIdentical.rawValue, filter.matches(row),
        let key = row.key(columns.firstSeen), let network = row.text(columns.adNetworkID)
      else { continue }
      copies.append((key, .init(count: 1, network: network)))
    }
    unreadable = row.unreadable
  }
}

/// The signals of one batch of accepted postbacks, or of all batches so far.
private struct SignalPart: Sendable {
  var networks: [String: NetworkSignals] = [:]
  var uncounted = 0
  var unreadable = UnreadableRows()

  private static let mostNetworks = 4096

  init() {}

  /// Counts the accepted postbacks of a batch.
  init(_ batch: RawBatch, _ filter: RowFilter, _ columns: PostbackColumns) {
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      guard filter.matches(row), let network = row.text(columns.adNetworkID) else { continue }
      networks[network, default: NetworkSignals()].add(row, columns)
    }
    unreadable = row.unreadable
  }

  mutating func merge(_ later: SignalPart) {
    for (network, signals) in later.networks.sorted(by: { $0.key < $1.key }) {
      if networks[network] == nil, networks.count >= Self.mostNetworks {
        uncounted += signals.accepted
      } else {
        networks[network, default: NetworkSignals()] += signals
      }
    }
    uncounted += later.uncounted
    unreadable += later.unreadable
  }
}

extension NetworkSignals {
  /// Adds an accepted postback.
  fileprivate mutating func add(_ row: borrowing RowCursor, _ columns: PostbackColumns) {
    accepted += 1
    if let flags = row.cell(columns.tierFlags), flags.count > 2, let text = row.text(columns.tierFlags) {
      let found = TierFlags(namedIn: text)
      for (index, flag) in TierFlags.names.enumerated() where found.contains(flag.flag) { tierFlags[index] += 1 }
      if found.tellEdits(fineValue: row.integer(columns.conversionValue)) { flagged += 1 }
    }
    redownload.add(row.boolean(columns.redownload))
    viewThrough.add(row.integer(columns.fidelityType).map { $0 == 0 })
    won.add(row.boolean(columns.didWin))
  }
}

/// Signals in the postbacks of one ad network: implausible fields, shares of some field values, and copies.
package struct NetworkSignals: Sendable, Equatable {
  /// The number of accepted postbacks.
  package internal(set) var accepted = 0
  /// The number of accepted postbacks with each tier flag, in the order of `TierFlags.names`.
  package internal(set) var tierFlags = [Int](repeating: 0, count: TierFlags.names.count)
  /// The number of accepted postbacks with at least one flag which says that somebody edited an unsigned field.
  package internal(set) var flagged = 0
  /// The share of redownloads among postbacks with the field.
  package internal(set) var redownload = Rate()
  /// The share of view-through ads (fidelity-type 0) among postbacks with the field.
  package internal(set) var viewThrough = Rate()
  /// The share of won attributions among postbacks with the field.
  package internal(set) var won = Rate()
  /// The number of rejected identical copies: retries, and postbacks that came through another channel too.
  package internal(set) var copies = 0
  /// The number of postbacks with at least one such copy.
  package internal(set) var copied = 0
  /// The largest number of copies of one postback.
  package internal(set) var mostCopies = 0

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
  }
}
