internal import Statistics

/// The late copies of all forwarders by spans of days, in all apps and in each.
///
/// If many copies of several forwarders are late in a span, a clock of the receiver was wrong, or a time in the names of its files, and
/// no forwarder held them back. A few are late everywhere, because Apple and forwarders send again, each copy by itself.
struct SharedDelays: Sendable {
  private struct Span: Hashable {
    let number: Int32
    /// The app; nil for all.
    let app: String?
  }

  /// The copies of a forwarder.
  private struct Count {
    var (slow, late, all) = (0, 0, 0)

    mutating func add(isSlow: Bool, isLate: Bool) {
      all += 1
      if isSlow { slow += 1 }
      if isLate { late += 1 }
    }
  }

  private let lines: [ForwardingLine]
  private let days: Int32
  private var counts: [Span: [Int: Count]] = [:]
  /// The slow copies of all forwarders but the one with the most of them, in the spans of which many of these are slow.
  private var doubtful: [Span: Rate] = [:]

  /// Counts the copies by spans of as many days.
  init(_ forwarders: [DelayedCopies], _ lines: [ForwardingLine], days: Int32) {
    (self.lines, self.days) = (lines, days)
    for (number, forwarder) in forwarders.enumerated() {
      for copy in forwarder.all {
        for span in spans(copy) {
          counts[span, default: [:]][number, default: Count()].add(
            isSlow: forwarder.isSlow(copy),
            isLate: forwarder.isLate(copy)
          )
        }
      }
    }
    doubtful = counts.compactMapValues { counts in
      let sorted = counts.values.sorted { ($0.slow, $0.all) < ($1.slow, $1.all) }
      let rest = sorted.dropLast().reduce(into: Rate()) { $0 += Rate(count: $1.slow, total: $1.all) }
      return Self.lowest(rest.count) * Self.leastRatio >= Double(rest.total) && rest.count > 0 ? rest : nil
    }
  }

  /// The number of copies of which one must be slow. Apple's retries and those of forwarders delay a few per cent.
  private static let leastRatio = 10.0

  /// A count less two standard errors, since a few late copies are a large share of few.
  private static func lowest(_ count: Int) -> Double { Double(count) - 2 * Double(count).squareRoot() }

  private func spans(_ copy: DelayedCopies.Copy) -> [Span] {
    [nil, lines[Int(copy.line)].app].map { Span(number: copy.day / days, app: $0) }
  }

  /// Tells of the copies of a forwarder if they are of spans in which many of the others' are slow, and no more than about twice as
  /// many of its own are late.
  func doubts(of forwarder: Int) -> (DelayedCopies.Copy) -> Bool {
    let doubtful = doubtful.filter { span, rest in
      guard let own = counts[span]?[forwarder] else { return false }
      return Self.lowest(own.late) * Double(rest.total) <= Double(2 * rest.count * own.all)
    }
    return { copy in spans(copy).contains { doubtful[$0] != nil } }
  }
}
