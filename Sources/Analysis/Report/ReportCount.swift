internal import Tables
internal import DerivedTables
internal import TableReading

/// The counts that a report needs, of a batch, of a part or of all parts. Their size is bounded, whatever the tables
/// hold.
package struct ReportCount: Sendable {
  /// Rejects and accepted postbacks by `received_at_source`.
  var sources = GroupTallies()
  /// Rejects by `received_at_source` and reject code.
  var codes = GroupTallies()
  /// Rejects by stage.
  var stages = GroupTallies()
  /// Rejects by `received_at_source`, hour of receipt and reject code.
  var hours = GroupTallies()
  /// Rejects by ad network and reject code.
  var networkCodes = GroupTallies()
  /// Rejects by forwarder and reject code.
  var forwarderCodes = GroupTallies()
  /// Rejects and accepted postbacks by ad network.
  var networks = GroupTallies()
  /// Rejects and accepted postbacks by forwarder.
  var forwarders = GroupTallies()
  /// The senders of the accepted postbacks that were read last. They are no part of a result.
  var senders = PartSenders()
  var conflicts = ConflictTable()
  var sample: RejectSample
  var cube = CubeCount()
  /// Rejects by day, code, sender and source identifier, without harmless copies, of the last days that a comparison may need.
  var identifiers = GroupTallies()
  /// The number of groups of `identifiers` above which those of earlier days are removed.
  private var mostIdentifiers = Self.leastIdentifiers

  private static let leastIdentifiers = 20_000

  var accepted = 0
  /// Accepted postbacks by `decode_status`.
  var statuses = GroupTallies()
  var windows = (0...2).map { RejectReport.Window(index: $0) }
  var revenue = RevenueSums()
  /// Installs by day, in one dictionary for each `TimeOrigin`.
  var installs = [[Int: RejectReport.InstallDay]](repeating: [:], count: TimeOrigin.allCases.count)
  var otherInstalls = 0
  var unreadable = UnreadableRows()

  init(sample limit: Int) { sample = RejectSample(limit: limit) }

  mutating func merge(_ later: ReportCount) {
    for groups in Self.groups { self[keyPath: groups].merge(later[keyPath: groups]) }
    senders.merge(later.senders)
    conflicts.merge(later.conflicts)
    sample.merge(later.sample)
    cube.merge(later.cube)
    if identifiers.count > mostIdentifiers {
      SourceIdentifiers.keepLatest(&identifiers)
      mostIdentifiers = max(2 * identifiers.count, Self.leastIdentifiers)
    }
    accepted += later.accepted
    for index in windows.indices { windows[index] += later.windows[index] }
    revenue.merge(later.revenue)
    for kind in installs.indices {
      for (day, days) in later.installs[kind] { installs[kind][day, default: .init(day: day)] += days }
    }
    otherInstalls += later.otherInstalls
    unreadable += later.unreadable
  }

  /// The groups, in the order of their bytes.
  private static let groups: [any WritableKeyPath<ReportCount, GroupTallies> & Sendable] = [
    \.sources, \.codes, \.hours, \.networks, \.networkCodes, \.forwarders, \.forwarderCodes, \.statuses, \.stages,
    \.identifiers,
  ]

  /// Indicates that some groups, revenue or copies are left out, because there are more than can be kept.
  var isBounded: Bool {
    let shown = Self.groups.filter { $0 != \.stages && $0 != \.identifiers }
    return shown.contains { !self[keyPath: $0].isWhole } || revenue.isBounded || conflicts.unfollowed > 0
  }
}

extension ReportCount: PartResult {
  var isWhole: Bool {
    !isBounded && stages.isWhole && identifiers.isWhole && cube.isWhole && sample.isWhole
  }

  func encode(_ writer: inout ResultWriter) {
    sample.encode(&writer)
    for groups in Self.groups { self[keyPath: groups].encode(&writer) }
    conflicts.encode(&writer)
    cube.encode(&writer)
    revenue.encode(&writer)
    writer.append(accepted)
    for window in windows {
      for count in [window.fine, window.coarse, window.none] { writer.append(count) }
    }
    for days in installs {
      writer.append(days.values.sorted { $0.day < $1.day }) { writer, day in
        for number in [day.day, day.estimated, day.certain, day.possible] { writer.append(number) }
      }
    }
    writer.append(otherInstalls)
  }

  init(_ reader: inout ResultReader) {
    sample = RejectSample(&reader)
    for groups in Self.groups { self[keyPath: groups] = GroupTallies(&reader) }
    conflicts = ConflictTable(&reader)
    cube = CubeCount(&reader)
    revenue = RevenueSums(&reader)
    accepted = reader.count()
    for index in windows.indices {
      (windows[index].fine, windows[index].coarse, windows[index].none) = (
        reader.count(), reader.count(), reader.count()
      )
    }
    for origin in installs.indices {
      installs[origin] = reader.dictionary { reader in
        var day = RejectReport.InstallDay(day: reader.count())
        (day.estimated, day.certain, day.possible) = (reader.count(), reader.count(), reader.count())
        return (day.day, day)
      }
    }
    otherInstalls = reader.count()
  }
}

extension RejectReport.Window {
  static func += (left: inout Self, right: Self) {
    left.fine += right.fine
    left.coarse += right.coarse
    left.none += right.none
  }
}

extension RejectReport.InstallDay {
  static func += (left: inout Self, right: Self) {
    left.estimated += right.estimated
    left.certain += right.certain
    left.possible += right.possible
  }
}
