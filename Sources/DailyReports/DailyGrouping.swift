internal import Base
internal import PostbackPipeline

extension DailyCells {
  /// A cell as a part of a group.
  package struct Entry: Sendable {
    let day: Int32
    /// The window and the rank of the place, which order the groups of a day.
    let rank: UInt64
    let place: UInt32
    let outcome: UInt32
    let stratum: UInt32
    let sender: UInt32
    let count: Int
    private let install: Int32

    init(_ cell: DailyCell, _ count: Int, _ type: DateType, _ window: Int, _ rank: UInt32) {
      day = type == .received ? cell.received : cell.install
      self.rank = UInt64(window) << 32 | UInt64(rank)
      (place, outcome, install, self.count) = (cell.place, cell.outcome, cell.install, count)
      (stratum, sender) = (cell.stratum, cell.sender)
    }

    var window: Int { Int(rank >> 32) }
    var dayOrNil: Int64? { day == DailyCell.unknownDay ? nil : Int64(day) }
    /// The day of the install, by whose rates revenue is converted; nil if it is not known.
    var installDay: Int64? { install == DailyCell.unknownDay ? nil : Int64(install) }
  }

  /// The rows of a date type that have postbacks, those of a day together, in the order of the daily tables. Several days are
  /// worked on at once.
  func days(
    of type: DateType,
    _ inputs: DailyInputs,
    _ settings: DailySettings,
    _ modelling: DailyModelling,
    jobs: Int
  ) -> ConcurrentMap<ReadyElements<[ArraySlice<Entry>], PipelineFailure>, [DailyRow]> {
    let grouping = DailyGrouping(self, type, inputs, modelling)
    var entries = counts.map { cell, count in
      Entry(cell, count, type, outcomes[Int(cell.outcome)].window, grouping.ranks[Int(cell.place)])
    }
    entries.sort { ($0.day, $0.rank) < ($1.day, $1.rank) }
    var days: [ArraySlice<Entry>] = []
    var rest = entries[...]
    while let first = rest.first {
      let end = rest.firstIndex { $0.day != first.day } ?? rest.endIndex
      if settings.part(of: first.dayOrNil) == .calculated { days.append(rest[..<end]) }
      rest = rest[end...]
    }
    return days.mapConcurrently(jobs) { day throws(PipelineFailure) in grouping.rows(day) }
  }
}

/// The addition of counts to rows of the daily tables.
private struct DailyGrouping: Sendable {
  private let type: DateType
  private let outcomes: [DailyOutcome]
  private let places: [DailyPlace]
  /// The rank of the dimensions' values of each place, in the order of the daily tables.
  let ranks: [UInt32]
  /// The suspicions about the values of each sender, in words.
  private let suspicions: [[String]]
  /// The windows that count for all windows together; nil unless the rows are of install dates.
  private let choices: AllWindowsRevenue.Choices?
  private let conversion: DailyConversion
  private let modelling: DailyModelling

  init(_ cells: DailyCells, _ type: DateType, _ inputs: DailyInputs, _ modelling: DailyModelling) {
    (self.type, outcomes, self.modelling) = (type, cells.outcomes, modelling)
    places = cells.places.keys.map { DailyPlace($0.values) }
    ranks = DailyCells.ranks(places)
    suspicions = cells.senders.keys.map { inputs.suspicions.about($0.values) }
    choices = type == .install ? AllWindowsRevenue.Choices(cells) : nil
    conversion = DailyConversion(to: inputs.currency)
  }

  /// Adds up the entries of a day, which are in order.
  func rows(_ entries: ArraySlice<DailyCells.Entry>) -> [DailyRow] {
    var conversion = conversion
    var rows: [DailyRow] = []
    var rank: UInt64?
    for entry in entries {
      let place = places[Int(entry.place)]
      if entry.rank != rank {
        rank = entry.rank
        let group = DailyGroup(dateType: type, day: entry.dayOrNil, window: entry.window, values: place.values)
        rows.append(DailyRow(group: group, names: place.names))
      }
      add(entry, place, &conversion, to: &rows[rows.count - 1])
    }
    return rows
  }

  private func add(
    _ entry: DailyCells.Entry,
    _ place: DailyPlace,
    _ conversion: inout DailyConversion,
    to row: inout DailyRow
  ) {
    let outcome = conversion.outcome(entry, of: outcomes)
    if let choices {
      let choice = choices[outcomes[Int(entry.outcome)], entry.installDay]
      row.allWindows = row.allWindows ?? AllWindowsRevenue()
      row.allWindows?.add(outcome, entry.count, choice)
    }
    row.add(entry, outcome, place.names)
    if outcome.hasWon { row.metrics.suspicions.formUnion(suspicions[Int(entry.sender)]) }
    modelling.add(entry, to: &row.nulls)
  }
}
