internal import Analysis
internal import Answers
internal import SKAdNetwork
internal import TableReading
internal import PageMarkup

/// The numbers of rejects by class at the head of a page.
struct RejectFacts {
  private let counts: RejectCounts
  private let read: Int

  /// Takes the rejects of that many records.
  init(_ counts: RejectCounts, of read: Int) { (self.counts, self.read) = (counts, read) }

  var html: HTML {
    "\(RejectClass.allCases.reversed().map(fact))"
  }

  private func fact(_ one: RejectClass) -> HTML {
    let count = counts[one]
    return """
      <li><b id="\(one.rawValue)">\(Numbers.grouped(count))</b> \(one.words) (\("\(Share(count, of: read))"))</li>

      """
  }
}

extension RejectReport {
  /// The name of records without a forwarder.
  static let noForwarder = "no forwarder (devices)"
}
