internal import Analysis
internal import Answers
internal import SKAdNetwork
internal import TableReading
internal import PageMarkup

extension HTML {
  /// Returns the numbers of rejects by class, of so many records, for the head of a page.
  static func facts(_ counts: RejectCounts, of read: Int) -> HTML {
    let facts = RejectClass.allCases.reversed().map { one -> HTML in
      let (count, share) = (counts[one], "\(Share(counts[one], of: read))")
      return "<li><b id=\"\(one.rawValue)\">\(Numbers.grouped(count))</b> \(one.words) (\(share))</li>"
    }
    return "\(facts)"
  }
}

extension RejectReport {
  /// The name of records without a forwarder.
  static let noForwarder = "no forwarder (devices)"
}
