internal import Base
internal import CampaignEnrichment
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import TableReading
internal import Tables

// Reports without postbacks, and those that have much fewer rows than the one before.
extension DailySummary {
  /// The member of the summary with `nothingCounted`.
  package static let nothingCountedKey = "nothing_counted"

  /// The reason for which no postback is counted, as sentences; nil if one is, and if there is none.
  package var nothingCounted: String? {
    guard postbacks == 0, rows.read > 0, !settings.isPartial else { return nil }
    let others = rows.leftOut.keys.sorted().joined(separator: ",")
    let advice = others.isEmpty ? "" : " Give --environment \(others) if these are to be counted."
    return "No postback is counted: \(explanation).\(advice)"
  }

  /// The numbers of the postbacks that are left out, as a part of a sentence.
  private var explanation: String {
    let counted = settings.environments.sorted().joined(separator: ", ")
    let parts = leftOut.map { reason, count in
      let share = count == rows.read ? "all \(count) accepted postbacks" : "\(count) of \(rows.read) accepted postbacks"
      return switch reason {
      case Table.forwarderTest: "\(share) are tests of forwarders"
      case Self.late: "\(share) were received after the time of the report"
      default: "\(share) are of the environment \(reason), and the report counts \(counted)"
      }
    }
    if rows.read == 0 { return "there are no accepted postbacks" }
    return parts.isEmpty ? "\(rows.read) accepted postbacks are counted" : parts.joined(separator: "; ")
  }

  /// The number of postbacks of a day above which they cannot all be of other days by their copies.
  private static let mostMoved = 20

  /// Throws if the report counts much fewer postbacks than the one that is there, or if all of a day were lost. The number of rows
  /// does not tell: it follows from the lookup tables, too.
  func verifyReplacement(
    in output: String,
    emptied: (day: Int64, postbacks: Int64)? = nil
  ) throws(FileFailure) {
    // Days that are ahead of the clock are counted when they have come.
    if let emptied, emptied.day < rows.receiptsAhead.firstDay ?? .max, emptied.postbacks > Self.mostMoved,
      try lost(in: output) >= emptied.postbacks
    {
      let isLater = settings.asOf.map { emptied.day * 86_400_000 >= $0.milliseconds } ?? false
      try settings.replacement.verify(
        .daily,
        in: output,
        before: { _ in Int(emptied.postbacks) },
        now: 0,
        of: "postbacks received on \(Timestamp.name(ofDay: emptied.day))",
        because: isLater
          ? "the day is after the time of the report" : "no row of the input is of this day any more"
      )
    }
    try settings.replacement.verify(
      .daily,
      in: output,
      before: { summary in Self.read(of: summary).map { Int($0 - Self.leftOut(of: summary)) } },
      now: rows.read - leftOut.reduce(0) { $0 + $1.count },
      of: "postbacks",
      because: explanation
    )
  }

  /// The number of postbacks that the report before counted and this one does not have or leaves out: so many at most are lost.
  /// Others are of another day by their copies.
  private func lost(in output: String) throws(FileFailure) -> Int64 {
    guard let before = try DerivedTable.summary(of: .daily, in: output), let read = Self.read(of: before) else {
      return .max
    }
    let leftOut = Int64(leftOut.reduce(0) { $0 + $1.count })
    return max(0, read - Int64(rows.read)) + max(0, leftOut - Self.leftOut(of: before))
  }

  /// The rows of `skan_postbacks` that a report has read.
  private static func read(of summary: JSONValue) -> Int64? { summary["rows_read"]?.integer }

  /// The rows that a report has left out.
  private static func leftOut(of summary: JSONValue) -> Int64 {
    guard case .object(let reasons)? = summary["left_out"] else { return 0 }
    return reasons.reduce(0) { $0 + ($1.value.integer ?? 0) }
  }
}
