internal import Base

/// The latest time of receipt of some postbacks on each day, in milliseconds since 1970.
///
/// Senders may set a time of receipt. One after the day of the clock is not believed where others are.
package struct LatestReceipts: Sendable, Equatable {
  private var times: [Int64: Int64] = [:]

  /// No times.
  package init() {}

  /// The latest time of all days; nil if there are none.
  package var latest: Int64? { times.values.max() }

  /// The first day with a time, in days since 1970-01-01; nil if there is none.
  package var firstDay: Int64? { times.keys.min() }

  /// Adds a time.
  package mutating func add(_ time: Int64) {
    let day = Timestamp(milliseconds: time).daysSince1970
    times[day] = max(times[day] ?? time, time)
  }

  /// Adds the times of other postbacks.
  package static func += (left: inout Self, right: Self) { left.times.merge(right.times, uniquingKeysWith: max) }

  /// The times up to a day, and those after it.
  package func divided(after day: Int64) -> (upTo: Self, after: Self) {
    var (earlier, later) = (Self(), Self())
    earlier.times = times.filter { $0.key <= day }
    later.times = times.filter { $0.key > day }
    return (earlier, later)
  }

  /// The latest time up to a day, or of all if none is: the clock may be wrong. Nil if there are no times.
  package func latest(upTo day: Int64) -> Int64? { divided(after: day).upTo.latest ?? latest }

  /// Writes the times.
  package func encode(_ writer: inout ResultWriter) {
    writer.append(times) { writer, day in
      writer.append(day.key)
      writer.append(day.value)
    }
  }

  /// Reads what `encode` has written.
  package init(_ reader: inout ResultReader) { times = reader.dictionary { ($0.integer(), $0.integer()) } }
}
