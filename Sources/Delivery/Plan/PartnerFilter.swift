internal import Base
internal import DurableFiles
internal import Ledger

/// A setting of a partner that leaves postbacks out.
package enum PartnerFilter: String, CaseIterable, Sendable {
  /// The networks whose postbacks the partner receives.
  case networks
  /// The apps whose postbacks the partner receives.
  case apps
  /// The environments of its postbacks.
  case environments
  /// The conversion windows of its postbacks.
  case windows
  /// The inclusion of postbacks that the network lost.
  case lost
  /// The inclusion of postbacks without a value.
  case nulls
  /// The least trust level.
  case minimumTrust = "minimum_trust"
  /// The kinds of deliveries.
  case send

  /// The filters of partners, and the times since which those want events that did not before.
  static let schema = """
    CREATE TABLE IF NOT EXISTS filters (partner TEXT PRIMARY KEY, filter TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS events_wanted (partner TEXT PRIMARY KEY, since INTEGER NOT NULL)
    """
}

extension Partner {
  /// A text that is another one with other filters.
  fileprivate var filters: String {
    let lists: [[String]?] = [
      networks.map { $0.sorted() }, apps.map { $0.sorted().map { "\($0)" } }, environments.sorted(),
      windows.sorted().map { "\($0)" }, kinds.map(\.rawValue).sorted(),
      ["\(includesLost)", "\(includesNulls)", "\(minimumTrust)"],
    ]
    return lists.map { $0?.joined(separator: ",") ?? "all" }.joined(separator: ";")
  }

  /// Indicates that a text of filters has the kind `event`.
  fileprivate static func wantsEvents(_ filters: String) -> Bool {
    filters.split(separator: ";").dropLast().last?.split(separator: ",").contains("event") ?? false
  }
}

extension [TemplatePlaceholder: PlaceholderValue] {
  /// Indicates that the network of a postback with these values has won.
  var hasWon: Bool { self[.didWin] != .boolean(false) }

  /// The kind of the delivery of a postback with these values.
  var deliveryKind: DeliveryKind {
    switch self[.conversionType] {
    case .text("re-engagement"): return .reengagement
    case .text("redownload"): return .redownload
    default: return self[.redownload] == .boolean(true) ? .redownload : .install
    }
  }

  /// The filter by which a partner is sent nothing of a postback as long as these values count; nil if there is none. A postback of
  /// which it has received something is corrected nevertheless, with its events.
  func omission(by partner: Partner) -> PartnerFilter? {
    let isNull = self[.conversionValue] == nil && self[.coarseConversionValue] == nil
    if !partner.includesNulls, isNull, hasWon { return .nulls }
    guard case .number(let text)? = self[.trustLevel], let trust = Int64(text) else { return nil }
    return trust < partner.minimumTrust ? .minimumTrust : nil
  }

  /// The filter by which a partner never receives a postback with these values, whatever a settlement replaces; nil if there is
  /// none.
  func exclusion(by partner: Partner) -> PartnerFilter? {
    func isTaken(_ macro: TemplatePlaceholder, by wanted: Set<Int64>, else missing: Int64? = nil) -> Bool {
      guard case .number(let text)? = self[macro] else { return missing.map(wanted.contains) ?? false }
      return Int64(text).map(wanted.contains) ?? false
    }
    if let networks = partner.networks {
      guard case .text(let id)? = self[.networkID], networks.contains(id.canonicalNetworkID) else { return .networks }
    }
    if let apps = partner.apps, !isTaken(.appID, by: apps) { return .apps }
    if !isTaken(.postbackSequenceIndex, by: partner.windows, else: 0) { return .windows }
    return hasWon || partner.includesLost ? nil : .lost
  }
}

extension PendingDelivery {
  /// The filter of a partner, as it is now, that leaves the delivery out; nil if there is none.
  func exclusion(by partner: Partner) -> PartnerFilter? {
    partner.kinds.contains(kind) ? values.values.exclusion(by: partner) : .send
  }
}

extension Outbox {
  /// Indicates that the partner of a delivery has another one of the same postback, or may have it.
  func isBegun(besides sequence: Int64) throws(FileFailure) -> Bool {
    try statement(
      """
      SELECT 1 FROM deliveries JOIN deliveries AS other USING (postback_key, partner)
      WHERE deliveries.sequence = ? AND other.attempts > 0 AND other.state IN ('delivered', 'pending')
      """
    ).first(.integer(sequence)) { _ in true } ?? false
  }

  /// Notes the filters of partners. Returns the ids of those that had others before.
  func noteFilters(of partners: [Partner], at now: Int64) throws(FileFailure) -> [String] {
    // Where the clock has jumped back, later times are wrong.
    try statement("UPDATE events_wanted SET since = ?1 WHERE since > ?1").run(.integer(now))
    var changed: [String] = []
    for partner in partners where partner.isEnabled {
      let earlier = try statement("SELECT filter FROM filters WHERE partner = ?")
        .first(.text(partner.id)) { $0.text(0) }
      if let earlier, earlier != partner.filters {
        changed.append(partner.id)
        if partner.kinds.contains(.event), !Partner.wantsEvents(earlier) {
          try statement("INSERT OR REPLACE INTO events_wanted VALUES (?, ?)").run(.text(partner.id), .integer(now))
        }
      }
      try statement("INSERT OR REPLACE INTO filters VALUES (?, ?)").run(.text(partner.id), .text(partner.filters))
    }
    return changed
  }

  /// Returns the times of planning, by the id of the partner, before which events were not wanted.
  func eventsWanted() throws(FileFailure) -> [String: Int64] {
    let pairs = try statement("SELECT partner, since FROM events_wanted").all { row throws(FileFailure) in
      (row.text(0), try row.integer(1) as Int64)
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
