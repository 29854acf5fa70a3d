internal import SKAdNetwork
internal import TableReading

/// The numbers of records by their time of receipt, in steps of five minutes.
struct ArrivalCounts: Sendable {
  /// The length of a step in milliseconds.
  static let step: Int64 = 300_000

  private var steps: [Int64: OutcomeCounts] = [:]
  /// The newest time of receipt of rejects that is not the time of their file; nil if there is none.
  private(set) var newestReject: Int64?

  mutating func add(_ time: Int64, accepted: Bool, _ code: RejectCode?) {
    let step = time.flooredQuotient(by: Self.step)
    if accepted {
      steps[step, default: OutcomeCounts()].accepted += 1
    } else {
      steps[step, default: OutcomeCounts()].rejects.add(code)
    }
  }

  /// Takes the time of receipt of a reject that is not the time of its file.
  mutating func see(rejectReceived time: Int64) { newestReject = max(newestReject ?? .min, time) }

  mutating func merge(_ other: Self) {
    for (step, counts) in other.steps { steps[step, default: OutcomeCounts()] += counts }
    if let time = other.newestReject { see(rejectReceived: time) }
  }

  /// Removes what was received before a time.
  mutating func drop(before time: Int64) {
    let first = time.flooredQuotient(by: Self.step)
    steps = steps.filter { $0.key >= first }
  }

  /// Returns the numbers of a period, whose ends are those of steps.
  func sum(_ since: Int64, _ until: Int64) -> OutcomeCounts {
    let (first, end) = (since.flooredQuotient(by: Self.step), until.flooredQuotient(by: Self.step))
    var sum = OutcomeCounts()
    for (step, counts) in steps where step >= first && step < end { sum += counts }
    return sum
  }

  /// Returns the numbers of each hour of a period.
  func hours(_ since: Int64, _ until: Int64) -> [(hour: Int64, counts: OutcomeCounts)] {
    let hour: Int64 = 3_600_000
    var found: [Int64: OutcomeCounts] = [:]
    for (step, counts) in steps {
      found[(step * Self.step).flooredQuotient(by: hour), default: OutcomeCounts()] += counts
    }
    let (first, end) = (since.flooredQuotient(by: hour), (until - 1).flooredQuotient(by: hour))
    return first <= end ? (first...end).map { ($0 * hour, found[$0] ?? OutcomeCounts()) } : []
  }
}

extension Int64 {
  /// The quotient that is rounded down.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
