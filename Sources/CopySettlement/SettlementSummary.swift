internal import Base
package import DerivedTables
package import LookupTables
internal import TableReading

/// The summary of a settlement.
package struct SettlementSummary: Sendable {
  /// A group of postbacks, with the copies that should have come and did not.
  package struct Group: Sendable {
    /// The network, the app and the week.
    package let key: SettlementCounts.Key
    /// The counts of all postbacks of the group.
    package let all: Party
    /// The counts by forwarder, by name; nil is last.
    package let forwarders: [(forwarder: String?, counts: Party)]
  }

  /// The counts of a forwarder or of all, with the copies that should have come and did not.
  package struct Party: Sendable {
    package let counts: PartyCounts
    /// The number of postbacks for which a device's own copy is missing.
    package let missingDirect: Int
    /// The number of postbacks for which a forwarder's copy is missing.
    package let missingForwarded: Int
    /// The number of postbacks without one of both that may still come.
    package let pending: Int

    /// The number of postbacks with any copy.
    package var postbacks: Int { counts.direct + counts.forwarded - counts.both }

    fileprivate static func + (left: Self, right: Self) -> Self {
      var counts = left.counts
      counts += right.counts
      return Party(
        counts: counts,
        missingDirect: left.missingDirect + right.missingDirect,
        missingForwarded: left.missingForwarded + right.missingForwarded,
        pending: left.pending + right.pending
      )
    }
  }

  /// An app that needs attention.
  package struct AppCount: Sendable, Equatable {
    package let appID: Int64
    /// The number of its postbacks that need it.
    package let postbacks: Int
  }

  /// The days after the first copy in which the other one may still come: a day of delay, and nine of retries.
  package static let finalAfterDays: Int64 = 10
  /// The days without copies of devices after which an app is reported, and the least number of forwarded postbacks.
  package static let silentDays: Int64 = 14
  package static let silentPostbacks = 50

  /// The numbers of rows of `skan_settled` and of `skan_settled_events`.
  package let rows: (settled: Int, events: Int)
  /// The number of copies among the rejects.
  package let copies: Int
  /// The number of copies among the rejects whose bodies could not be read.
  package let unreadableBodies: Int
  /// The number of counted postbacks with each trust level.
  package let trustLevels: [Int]
  /// The groups by network, app and week.
  package let groups: [Group]
  /// The changes against `skan_postbacks`, by app and currency.
  package let changes: [(key: SettlementCounts.ChangeKey, change: SettlementCounts.Change)]
  /// The apps without copies of devices, each with its forwarded postbacks in the last days. Empty if the days are limited.
  package let silentApps: [AppCount]
  /// The apps whose devices' copies do not count because `direct_copies_since` is missing, each with the postbacks in which
  /// they contradict a forwarder's.
  package let undatedApps: [AppCount]
  /// The newest time of receipt that is not after the day of the clock.
  let asOf: Int64?
  let graceHours: Int
  let lookupDigest: String
  /// The digest of the models that decoded the values.
  let modelsDigest: String
  let replacement: TableReplacement

  package init(
    _ counts: SettlementCounts,
    _ lookups: Lookups,
    modelsDigest: String,
    _ settings: SettlementSettings,
    rows: (settled: Int, events: Int),
    copies: Int,
    unreadableBodies: Int,
    replacement: TableReplacement
  ) {
    self.replacement = replacement
    (self.rows, self.copies, self.unreadableBodies) = (rows, copies, unreadableBodies)
    trustLevels = counts.trustLevels
    let asOf = counts.receipts.latest(upTo: settings.today)
    self.asOf = asOf
    graceHours = settings.graceHours
    (lookupDigest, self.modelsDigest) = (lookups.hexadecimalDigest, modelsDigest)
    func since(_ app: Int64) -> Int64? { lookups.apps[app]?.directCopiesSince ?? counts.firstDirect[app] }
    groups = counts.groups.sorted {
      ($0.key.network, $0.key.appID, $0.key.week ?? .max) < ($1.key.network, $1.key.appID, $1.key.week ?? .max)
    }.map { key, group in
      func party(_ party: PartyCounts) -> Party {
        Party(party, since: since(key.appID), week: key.week, asOf: asOf)
      }
      return Group(
        key: key,
        all: party(group.all),
        forwarders: group.forwarders.sorted {
          ($0.key == nil ? 1 : 0, $0.key ?? "".exact) < ($1.key == nil ? 1 : 0, $1.key ?? "".exact)
        }
        .map { ($0.key?.text, party($0.value)) }
      )
    }
    changes = counts.changes.map { ($0.key, $0.value) }
      .sorted { ($0.key.appID, $0.key.currency ?? "") < ($1.key.appID, $1.key.currency ?? "") }
    silentApps = settings.since == nil && settings.until == nil ? Self.silentApps(counts, asOf) : []
    undatedApps = counts.undated.map { AppCount(appID: $0.key, postbacks: $0.value) }.sorted { $0.appID < $1.appID }
  }

  /// The apps that had forwarded postbacks in the last days, and no device's own copy.
  private static func silentApps(_ counts: SettlementCounts, _ asOf: Int64?) -> [AppCount] {
    guard let last = asOf.map({ Timestamp(milliseconds: $0).daysSince1970 }) else { return [] }
    var apps: [Int64: (direct: Int, forwarded: Int)] = [:]
    for (key, group) in counts.groups {
      guard let week = key.week else { continue }
      for day in 0..<7 where last - week - Int64(day) < silentDays {
        apps[key.appID, default: (0, 0)].direct += group.all.days.direct[day]
        apps[key.appID, default: (0, 0)].forwarded += group.all.days.forwarded[day]
      }
    }
    return apps.filter { $0.value.direct == 0 && $0.value.forwarded >= silentPostbacks }
      .map { AppCount(appID: $0.key, postbacks: $0.value.forwarded) }
      .sorted { $0.appID < $1.appID }
  }

  /// The counts of all weeks together: by network and app, of all postbacks, and then by forwarder.
  package var overall: [(network: String, appID: Int64, all: Party, forwarders: [(String?, Party)])] {
    var overall: [(network: String, appID: Int64, all: Party, forwarders: [(String?, Party)])] = []
    for group in groups {
      let last = overall.indices.last
      if let last, overall[last].network == group.key.network, overall[last].appID == group.key.appID {
        overall[last].all = overall[last].all + group.all
        for (forwarder, counts) in group.forwarders {
          if let place = overall[last].forwarders.firstIndex(where: { $0.0?.exact == forwarder?.exact }) {
            overall[last].forwarders[place].1 = overall[last].forwarders[place].1 + counts
          } else {
            overall[last].forwarders.append((forwarder, counts))
          }
        }
      } else {
        overall.append(
          (group.key.network, group.key.appID, group.all, group.forwarders.map { ($0.forwarder, $0.counts) })
        )
      }
    }
    return overall
  }
}

extension SettlementSummary.Party {
  /// Counts the copies that are missing. Those of devices may be missing from a time on, which is nil if there are none.
  fileprivate init(_ counts: PartyCounts, since: Int64?, week: Int64?, asOf: Int64?) {
    self.counts = counts
    var (missingDirect, missingForwarded, pending) = (0, 0, 0)
    if let week, let asOf {
      for place in 0..<7 {
        let day = week + Int64(place)
        let isFinal = (day + 1 + SettlementSummary.finalAfterDays) * 86_400_000 <= asOf
        let (device, forwarder) = (counts.days.onlyForwarded[place], counts.days.onlyDirect[place])
        let expectsDirect = since.map { day * 86_400_000 >= $0 } ?? false
        if isFinal {
          missingDirect += expectsDirect ? device : 0
          missingForwarded += forwarder
        } else {
          pending += (expectsDirect ? device : 0) + forwarder
        }
      }
    }
    (self.missingDirect, self.missingForwarded, self.pending) = (missingDirect, missingForwarded, pending)
  }
}
