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

  static let schema = "CREATE TABLE IF NOT EXISTS filters (partner TEXT PRIMARY KEY, filter TEXT NOT NULL)"
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
}

extension [TemplatePlaceholder: PlaceholderValue] {
  /// Indicates that the network of a postback with these values has won.
  var hasWon: Bool { self[.didWin] != .boolean(false) }

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

extension Outbox {
  /// Notes the filters of partners. Returns the ids of those that had others before.
  func noteFilters(of partners: [Partner]) throws(FileFailure) -> [String] {
    var changed: [String] = []
    for partner in partners where partner.isEnabled {
      let earlier = try statement("SELECT filter FROM filters WHERE partner = ?")
        .first(.text(partner.id)) { $0.text(0) }
      if let earlier, earlier != partner.filters { changed.append(partner.id) }
      try statement("INSERT OR REPLACE INTO filters VALUES (?, ?)").run(.text(partner.id), .text(partner.filters))
    }
    return changed
  }
}
