/// The late copies of all forwarders by spans of days, in all apps and in each.
///
/// If copies of several forwarders are late behind those of the same days, a clock of the receiver was wrong, or a time in the
/// names of its files, and no forwarder held them back.
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

  /// Counts the copies by spans of as many days.
  init(_ forwarders: [DelayedCopies], _ lines: [ForwardingLine], days: Int32) {
    (self.lines, self.days) = (lines, days)
    guard forwarders.count(where: { $0.all.contains(where: $0.isSlow) }) > 1 else { return }
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
  }

  private func spans(_ copy: DelayedCopies.Copy) -> [Span] {
    [nil, lines[Int(copy.line)].app].map { Span(number: copy.day / days, app: $0) }
  }

  /// Tells of the copies of a forwarder if they are of spans in which the others' copies are late about half as often or more. The
  /// other one with the most late copies does not count if there are several, so that it excuses nobody alone.
  func doubts(of forwarder: Int) -> (DelayedCopies.Copy) -> Bool {
    let doubtful = counts.filter { _, counts in
      guard let own = counts[forwarder], own.late > 0 else { return false }
      let others = counts.filter { $0.key != forwarder }.values.sorted { ($0.slow, $0.all) < ($1.slow, $1.all) }
      let rest = others.prefix(max(1, others.count - 1))
      let (slow, all) = rest.reduce((0, 0)) { ($0.0 + $1.slow, $0.1 + $1.all) }
      // Two standard errors, since a few late copies are a large share of few.
      let late = Double(own.late) - 2 * Double(own.late).squareRoot()
      return slow > 1 && late * Double(all) <= Double(2 * slow * own.all)
    }
    return { copy in spans(copy).contains { doubtful[$0] != nil } }
  }
}
