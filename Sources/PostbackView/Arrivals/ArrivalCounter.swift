internal import Ledger
internal import PostbackLookup
internal import PostbackPipeline
internal import SKAdNetwork
internal import Tables

/// The counter of records by their time of receipt. It reads the last two weeks at its start, and then only new rows.
actor ArrivalCounter {
  /// The time before the newest record that is counted: a week, and the week before it.
  static let horizon: Int64 = 15 * 86_400_000
  /// The part of the horizon that no period needs, by which it may go back.
  private static let slack: Int64 = 86_400_000

  private struct Counted {
    var end: Int64
    var checksum: UInt32?
    var reprocessed: Int
  }

  private var counted: [String: Counted] = [:]
  private var counts = ArrivalCounts()
  /// The time after which the counted rows were received.
  private var horizon = Int64.min
  private let didCount: @Sendable (ArrivalCounts, _ isComplete: Bool) -> Void

  /// Creates a counter that tells of its counts from time to time.
  init(_ didCount: @escaping @Sendable (ArrivalCounts, _ isComplete: Bool) -> Void) { self.didCount = didCount }

  /// Counts the rows of parts that were received after a time and not counted before, those of the newest parts first.
  func update(_ parts: [LookupPart], after horizon: Int64) async throws(PipelineFailure) {
    let wanted = parts.filter { part in part.part.received.map { $0.newest >= horizon } ?? true }
    let order = wanted.sorted { one, other in
      (one.part.received?.newest ?? 0, one.part.number) > (other.part.received?.newest ?? 0, other.part.number)
    }
    let keys = Set(parts.map(\.key))
    // Rows were removed, or read again, or earlier ones are wanted: periods end with the newest row if that is older than they are.
    let isOther = order.contains(where: isReplaced) || counted.keys.contains { !keys.contains($0) }
    if isOther || horizon + Self.slack < self.horizon { (counted, counts) = ([:], ArrivalCounts()) }
    self.horizon = horizon
    counts.drop(before: horizon)
    for (place, part) in order.enumerated() {
      let start = counted[part.key]?.end ?? 0
      if start < part.end {
        counts.merge(try await Self.counts(of: part, from: start, after: horizon))
        if place < order.count - 1 { didCount(counts, false) }
      }
      counted[part.key] = Counted(end: part.end, checksum: part.checksum, reprocessed: part.reprocessed.count)
      if Task.isCancelled { return }
    }
    didCount(counts, true)
  }

  /// Tells if a part has other rows than were counted, and not only more of them.
  private func isReplaced(_ part: LookupPart) -> Bool {
    guard let before = counted[part.key] else { return false }
    if before.reprocessed != part.reprocessed.count { return true }
    if before.end == part.end { return before.checksum != part.checksum }
    return before.end > part.end || !(before.checksum.map { part.continues($0, of: before.end) } ?? false)
  }

  private static func counts(
    of part: LookupPart,
    from start: Int64,
    after horizon: Int64
  ) async throws(PipelineFailure) -> ArrivalCounts {
    let isAccepted = part.table.name == Table.postbacks.name
    let time = part.table.place(.receivedAt)
    let (code, source) = (
      isAccepted ? nil : part.table.place(.rejectCode), isAccepted ? nil : part.table.place(.receivedAtSource)
    )
    let written = part.part.received?.newest ?? .max
    var counts = ArrivalCounts()
    try await part.forEachStandingRow(from: start, only: [time] + [code, source].compactMap(\.self)) { row, _ in
      guard let received = row.time(time), received >= horizon else { return true }
      var rejected: RejectCode?
      if let code, let text = row.text(code) { rejected = RejectCode(rawValue: text) }
      counts.add(received, accepted: isAccepted, rejected)
      if let source, row.text(source) != ReceivedAtSource.fileModified.rawValue {
        // A time ahead of the clock counts as that of writing, as in the state.
        counts.see(rejectReceived: min(received, written))
      }
      return true
    }
    return counts
  }
}

extension LookupPart {
  /// A text that tells the part from others of the output.
  var key: String { "\(table.name) \(part.partition) \(part.number) \(part.format.rawValue)" }
}
