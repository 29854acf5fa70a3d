internal import Answers
internal import Base
internal import JSON
internal import TableReading

/// The records of the last hour, day and week, beside those of the period before.
struct OverviewAnswer: Sendable {
  let counts: ArrivalCounts
  let isComplete: Bool
  let totals: OutcomeCounts?
  /// The newest time that the parts of the tables tell; nil if they tell none.
  let newestOfParts: Int64?
  let newestAccepted: Int64?
  let committedAt: Int64?
  let now: Int64

  /// The newest time of receipt; nil if the parts tell none.
  private var newest: Int64? { newestOfParts.map { max($0, counts.newestReject ?? $0) } }

  private static let periods: [(name: String, length: Int64)] = [
    ("hour", 3_600_000), ("day", 86_400_000), ("week", 7 * 86_400_000),
  ]

  /// Indicates that the newest record is older than the periods, which then end with it.
  private var isAnchoredToLatest: Bool { newest.map { $0 < now - 7 * 86_400_000 } ?? false }

  /// The end of the periods: that of the step with the present, or with the newest record.
  private var end: Int64 {
    let last = isAnchoredToLatest ? newest ?? now : now
    return (last.flooredQuotient(by: ArrivalCounts.step) + 1) * ArrivalCounts.step
  }

  /// The time from which records are counted for an overview.
  static func horizon(newest: Int64?, now: Int64) -> Int64 {
    let last = newest.map { $0 < now - 7 * 86_400_000 ? $0 : now } ?? now
    return last - ArrivalCounter.horizon
  }

  /// The members of the answer.
  var members: [JSONValue.Member] {
    let end = end
    let periods = Self.periods.map { name, length -> JSONValue in
      .object(
        [.init("name", .string(name))] + Self.period(counts, end - length, end)
          + [.init("before", .object(Self.period(counts, end - 2 * length, end - length)))]
      )
    }
    let hours = counts.hours(end - 336 * 3_600_000, end).map { hour, counts -> JSONValue in
      .object([.init("hour", .string("\(Timestamp(milliseconds: hour))"))] + counts.members)
    }
    // Rejects with the time of their file say nothing about the end, but are not hidden.
    let later = counts.sum(end, .max)
    let lag = newest.flatMap { newest in committedAt.map { max(($0 - newest) / 1000, 0) } }
    return [
      .init("at", .string("\(Timestamp(milliseconds: now))")),
      .init("anchor", .string(isAnchoredToLatest ? "latest" : "now")),
      .init("is_complete", .bool(isComplete)),
      .init("totals", totals.map { .object($0.members) } ?? .null),
      .init("periods", .array(periods)),
      .init("hours", .array(hours)),
      .init(
        "latest",
        .object([
          .init("received", .time(newest)), .init("accepted", .time(newestAccepted)),
          .init("committed", .time(committedAt)),
          .init("lag_seconds", .integer(lag)),
        ])
      ),
      .init("later", .object([.init("since", .time(end))] + later.members)),
    ]
  }

  private static func period(_ counts: ArrivalCounts, _ since: Int64, _ until: Int64) -> [JSONValue.Member] {
    [.init("since", .time(since)), .init("until", .time(until))] + counts.sum(since, until).members
  }
}

extension OutcomeCounts {
  /// The numbers as members of an object.
  var members: [JSONValue.Member] {
    [
      .init("accepted", .integer(accepted)), .init("copies", .integer(rejects.copies)),
      .init("noise", .integer(rejects.noise)), .init("suspicious", .integer(rejects.suspicious)),
    ]
  }
}
