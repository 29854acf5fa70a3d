internal import Base
internal import Statistics

/// The records of a party by day, with the number of those that have a property.
struct DaySeries: Sendable {
  struct Cell: Equatable, Sendable {
    /// The day since 1970; 0 if it is not known.
    let day: Int32
    var count: Int32
    var total: Int32

    var rate: Rate { Rate(count: Int(count), total: Int(total)) }
  }

  /// The days with records, in their order.
  private(set) var cells: [Cell] = []

  private static let mostDays = 2000

  /// The day of a time in milliseconds; 0 if it is not known.
  static func day(of time: Int64?) -> Int32 {
    guard let time, time != .max, time != .min else { return 0 }
    return Int32(clamping: max(0, time) / 86_400_000)
  }

  /// All days together.
  var rate: Rate { cells.reduce(into: Rate()) { $0 += $1.rate } }

  mutating func add(_ cell: Cell) {
    // Most records come in the order of their days.
    let place = cells.last.map { $0.day == cell.day } == true ? cells.count - 1 : self.place(of: cell.day)
    if place < cells.count, cells[place].day == cell.day {
      cells[place].count += cell.count
      cells[place].total += cell.total
    } else if cells.count < Self.mostDays {
      cells.insert(cell, at: place)
    } else {
      // Days before the last ones are one day, whatever order they come in.
      if place > 0 {
        cells.insert(cell, at: place)
        cells[1].count += cells[0].count
        cells[1].total += cells[0].total
        cells.removeFirst()
      } else {
        cells[0].count += cell.count
        cells[0].total += cell.total
      }
    }
  }

  static func += (left: inout Self, right: Self) {
    for cell in right.cells { left.add(cell) }
  }

  /// The records of a series less those of a part of it.
  static func - (left: Self, right: Self) -> Self {
    var series = Self()
    for cell in left.cells {
      let rest = cell.rate - right.on(cell.day)
      series.cells.append(Cell(day: cell.day, count: Int32(clamping: rest.count), total: Int32(clamping: rest.total)))
    }
    return series
  }

  /// The days with the largest shares.
  func worst(_ number: Int) -> Set<Int32> {
    let sorted = cells.sorted {
      (Double($1.count) * Double($0.total), $0.day) < (Double($0.count) * Double($1.total), $1.day)
    }
    return Set(sorted.prefix(number).map(\.day))
  }

  /// The days of the span of at most `longest` days that differs most clearly from all other days, with a share more than three
  /// times as large; none if no span has such a share.
  func clearestSpan(_ longest: Int32) -> Set<Int32> {
    let all = rate
    var (likelihood, days) = (-Double.infinity, Set<Int32>())
    for first in cells.indices {
      var inside = Rate()
      for last in first..<cells.count {
        guard cells[last].day - cells[first].day < longest else { break }
        inside += cells[last].rate
        let rest = all - inside
        guard rest.total > 0, inside.count * rest.total > 3 * rest.count * inside.total else { continue }
        let both = RateEvidence.largestLikelihood(inside) + RateEvidence.largestLikelihood(rest)
        if both > likelihood { (likelihood, days) = (both, Set(cells[first...last].map(\.day))) }
      }
    }
    return days
  }

  func withoutDays(_ days: Set<Int32>) -> Self {
    var series = self
    series.cells.removeAll { days.contains($0.day) }
    return series
  }

  /// The place of the first day that is not before another.
  private func place(of day: Int32) -> Int { cells.partitioningIndex { $0.day >= day } }

  /// The records of a day; none if there are none.
  func on(_ day: Int32) -> Rate {
    let place = place(of: day)
    return place < cells.count && cells[place].day == day ? cells[place].rate : Rate()
  }
}

extension DaySeries: Compact {
  func encode(_ writer: inout CompactWriter) {
    var last: Int32 = 0
    writer.append(cells) { writer, cell in
      writer.append(cell.day - last, cell.count, cell.total)
      last = cell.day
    }
  }

  init(_ reader: inout CompactReader) {
    self.init()
    var last: Int32 = 0
    reader.forEach { reader in
      last += Int32(&reader)
      cells.append(Cell(day: last, count: Int32(&reader), total: Int32(&reader)))
    }
  }
}
