internal import Base

/// The columns of `networks`.
enum NetworkColumn: String, LookupColumn {
  case adNetworkID = "ad_network_id"
  case networkName = "network_name"
  case owner
  case nullAsZero = "null_as_zero"
  case sourceIdentifierDigits = "source_identifier_digits"
  case clickDays = "click_days"
  case viewDays = "view_days"
  case validFrom = "valid_from"
  case validTo = "valid_to"

  static let required = [adNetworkID, networkName]
}

/// An ad network under one of its ids, as `networks` describes it for some time.
package struct Network: Sendable, Hashable {
  /// The owner of an id.
  package enum Owner: String, CaseIterable, Sendable {
    /// The ad network itself.
    case network
    /// A network and a measurement partner together, for postbacks that go to the partner.
    case secureSetUp = "mmp_secure"
  }

  /// The digits of a source identifier that remain where Apple shortens it.
  package enum Digits: String, CaseIterable, Sendable {
    case trailing
    case leading
  }

  /// The name in reports.
  package let name: String
  /// The owner of the id.
  package var owner = Owner.network
  /// Indicates that the network writes a missing conversion value as 0.
  package var writesNullAsZero = false
  /// The digits that remain of a shortened source identifier.
  package var digits = Digits.trailing
  /// The number of days in which an install is attributed to a click.
  package var clickDays: Int64 = 30
  /// The number of days in which an install is attributed to a view.
  package var viewDays: Int64 = 1

  /// A network of this name, with the usual settings.
  package init(name: String) { self.name = name }
}

/// The ad networks of `networks`, by id.
package struct Networks: Sendable {
  private struct Entry: Hashable {
    let network: Network
    let validity: Validity
    let line: Int
  }

  private var entries: [String: [Entry]] = [:]

  /// The number of ids.
  package var count: Int { entries.count }

  /// The id of Apple Ads, which is no secret of a contract and so has a name without a table.
  ///
  /// Source: Apple Ads Help, "Measuring ad performance".
  private static let appleAds = "com.apple.ads"

  /// Tells if an id is that of Apple Ads.
  package static func isAppleAds(_ id: String) -> Bool { id == appleAds || id.canonicalNetworkID == appleAds }

  /// The network with an id at a time; nil if the table has none. Without a time, the rows of the id must agree on the
  /// network.
  package func network(_ id: String, at time: Int64?) -> Network? {
    // Nearly all ids are written in their canonical form.
    guard let found = entries[id] ?? entries[id.canonicalNetworkID] else {
      return Self.isAppleAds(id) ? Network(name: "Apple Ads") : nil
    }
    if let time { return found.first { $0.validity.contains(time) }?.network }
    return Set(found.map(\.network)).count == 1 ? found.first?.network : nil
  }

  /// The names of a canonical id, at any time, in order.
  package func names(of id: String) -> [String] {
    var names: [String] = []
    for entry in entries[id] ?? [] where !names.contains(entry.network.name) { names.append(entry.network.name) }
    return names
  }

  /// All names of networks.
  package var allNames: Set<String> { Set(entries.values.joined().map(\.network.name)) }

  /// The canonical ids by the names of their networks in lower case, of those names that only one id has.
  package var idsByName: [String: String] {
    var ids: [String: Set<String>] = [:]
    for (id, entries) in entries {
      for entry in entries { ids[entry.network.name.lowercased(), default: []].insert(id) }
    }
    return ids.compactMapValues { $0.count == 1 ? $0.first : nil }
  }

  /// Reads `networks`.
  mutating func read(_ file: LookupFile, _ findings: inout LookupFindings) {
    file.read(NetworkColumn.self, &findings) { row, findings in
      let id = row.required(.adNetworkID, &findings).map(\.canonicalNetworkID)
      let name = row.required(.networkName, &findings)
      var network = Network(name: name ?? "")
      if let owner = row.word(.owner, Network.Owner.self, &findings) { network.owner = owner }
      if let isSo = row.boolean(.nullAsZero, &findings) { network.writesNullAsZero = isSo }
      if let digits = row.word(.sourceIdentifierDigits, Network.Digits.self, &findings) { network.digits = digits }
      if let days = row.integer(.clickDays, in: 1...30, &findings) { network.clickDays = days }
      if let days = row.integer(.viewDays, in: 1...7, &findings) { network.viewDays = days }
      guard let validity = row.validity(from: .validFrom, to: .validTo, &findings), let id, !row.isWrong else { return }
      let entry = Entry(network: network, validity: validity, line: row.line)
      guard let other = entries[id]?.first(where: { $0.validity.overlaps(validity) }) else {
        return entries[id, default: []].append(entry)
      }
      if other.network == network, other.validity == validity {
        row.warn(nil, "The row is the same as that of line \(other.line). Remove one.", &findings)
      } else {
        let reason =
          "Line \(other.line) has another row of \(id) for a part of the same time. End one before the other."
        row.note(.adNetworkID, reason, &findings)
      }
    }
  }
}

extension String {
  /// The id of an ad network without the framework's ending, in lower case.
  package var networkStem: String { String(prefix { $0 != "." }).lowercased() }
}
