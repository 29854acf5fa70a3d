internal import Base
package import JSON
package import LookupTables
internal import PostbackCopies

/// The counts of an enrichment, by network.
package struct EnrichmentSummary: Sendable, Equatable {
  /// The counts of one network.
  package struct Network: Sendable, Equatable {
    /// The origin of the name.
    package var status = NetworkStatus.unmapped
    /// The number of rows by status.
    package var rows: [EnrichStatus: Int] = [:]
    /// The number of rows in which a forwarder contradicts the lookup table.
    package var conflicts = 0
    /// The number of source identifiers of two digits.
    package var twoDigits = 0
    /// The number of these that are the last two digits of a campaign.
    package var trailing = 0
    /// The number of these that are the first two digits of a campaign.
    package var leading = 0
    /// The number of ambiguous rows by month of receipt, such as `2026-03`, or `unknown`.
    package var ambiguousByMonth: [String: Int] = [:]

    /// The number of all rows.
    package var total: Int { rows.values.reduce(0, +) }

    static func += (left: inout Self, right: Self) {
      left.status = right.status == .mapped ? .mapped : left.status
      left.rows.merge(right.rows, uniquingKeysWith: +)
      left.conflicts += right.conflicts
      left.twoDigits += right.twoDigits
      left.trailing += right.trailing
      left.leading += right.leading
      left.ambiguousByMonth.merge(right.ambiguousByMonth, uniquingKeysWith: +)
    }
  }

  /// The counts by name.
  package internal(set) var networks: [String: Network] = [:]
  /// The number of rows with the campaign of a forwarder.
  package internal(set) var inline = 0
  /// The number of rows with the values that `skan_settled` decided.
  package var settled = 0
  /// The number of times of forwarding that cannot be right.
  package internal(set) var wrongTimes = 0
  /// The number of rows that a forwarder marks as a test.
  package internal(set) var tests = 0
  /// The number of copies among the rejects.
  package var copies = 0

  /// No rows.
  package init() {}

  /// The counts of all networks together.
  package var total: Network {
    var total = Network()
    for network in networks.values { total += network }
    return total
  }

  /// Counts a row of a postback that was received at a time. `twoDigits` tells if the two digits of its shortened source
  /// identifier are the last, and the first, of a campaign; nil if it has no such identifier.
  package mutating func add(_ row: EnrichedRow, twoDigits: (trailing: Bool, leading: Bool)?, receivedAt: Int64?) {
    var counts = Network()
    counts.status = row.networkStatus
    counts.rows = [row.status: 1]
    counts.conflicts = row.hasConflict ? 1 : 0
    if let digits = twoDigits {
      counts.twoDigits = 1
      counts.trailing = digits.trailing ? 1 : 0
      counts.leading = digits.leading ? 1 : 0
    }
    if row.status == .ambiguous {
      let month = receivedAt.map { String(Timestamp(milliseconds: $0).description.prefix(7)) }
      counts.ambiguousByMonth = [month ?? "unknown": 1]
    }
    networks[row.networkName, default: Network()] += counts
    if row.source == .inline || row.source == .both { inline += 1 }
    if row.inline.hasWrongTime { wrongTimes += 1 }
    if row.inline.isTest { tests += 1 }
  }

  /// Adds the counts of other rows.
  package static func += (left: inout Self, right: Self) {
    for (name, network) in right.networks {
      if left.networks[name] == nil {
        left.networks[name] = network
      } else {
        left.networks[name]? += network
      }
    }
    left.inline += right.inline
    left.settled += right.settled
    left.wrongTimes += right.wrongTimes
    left.tests += right.tests
    left.copies += right.copies
  }

  /// The names of the networks, those with the most rows first.
  package var names: [String] {
    networks.map { ($0.key, $0.value.total) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map(\.0)
  }

  /// The members of the summary in JSON.
  package var members: [JSONValue.Member] {
    let total = total
    return [
      .init("rows", .integer(total.total)),
      .init("by_status", total.byStatus),
      .init("conflicts", .integer(total.conflicts)),
      .init("inline_rows", .integer(inline)),
      .init("copies_read", .integer(copies)),
      .init("settled", .integer(settled)),
      .init("forwarder_tests", .integer(tests)),
      .init("wrong_forwarding_times", .integer(wrongTimes)),
      .init("networks", .array(names.compactMap { name in networks[name].map { $0.json(name) } })),
    ]
  }
}

extension EnrichmentSummary.Network {
  fileprivate var byStatus: JSONValue {
    .object(EnrichStatus.allCases.map { .init($0.rawValue, .integer(rows[$0] ?? 0)) })
  }

  fileprivate func json(_ name: String) -> JSONValue {
    .object([
      .init("network_name", .string(name)),
      .init("network_status", .string(status.rawValue)),
      .init("rows", .integer(total)),
      .init("by_status", byStatus),
      .init("conflicts", .integer(conflicts)),
      .init(
        "two_digit_identifiers",
        .object([
          .init("rows", .integer(twoDigits)), .init("match_trailing", .integer(trailing)),
          .init("match_leading", .integer(leading)),
        ])
      ),
      .init(
        "ambiguous_by_month",
        .object(ambiguousByMonth.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
      ),
    ])
  }
}
