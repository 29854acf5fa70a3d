/// The group of a report in which all postbacks of a stratum are, apart from their dates.
package struct StratumGroups<Group: Hashable & Sendable>: Sendable {
  /// The groups by stratum; nil for a stratum in several groups.
  private var groups: [Stratum: Group?] = [:]

  /// Makes a record of no postbacks.
  package init() {}

  /// Notes the group of a postback.
  package mutating func add(_ stratum: Stratum, in group: Group) {
    guard let known = groups[stratum] else { return groups[stratum] = .some(group) }
    if known != group { groups[stratum] = .some(nil) }
  }

  /// Tells if the postbacks of a stratum are in several groups.
  package func isSplit(_ stratum: Stratum) -> Bool {
    if case .some(.none) = groups[stratum] { true } else { false }
  }
}

/// The postbacks of a group of a report whose revenue is estimated, by stratum and period.
package struct GroupNulls: Sendable, Equatable {
  private(set) var cells: [StratumCounts.Cell: StratumPostbacks] = [:]

  /// Makes a record of no postbacks.
  package init() {}

  /// Notes postbacks of a cell.
  package mutating func add(_ cell: StratumCounts.Cell, _ value: StratumCounts.Value, _ count: Int) {
    switch value {
    case .null: cells[cell, default: .init()].nulls += count
    case .ambiguousZero: cells[cell, default: .init()].zeros += count
    case .decoded(let value): cells[cell, default: .init()].values[value, default: 0] += count
    case .undecoded: cells[cell, default: .init()].nulls += 0
    }
  }
}
