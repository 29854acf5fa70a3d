internal import Base
internal import CampaignEnrichment
internal import DerivedTables
internal import DurableFiles
internal import JSON
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

  /// Throws if the report has much fewer rows than the one that is there, or much fewer postbacks if its rows are grouped in
  /// another way.
  func verifyReplacement(
    in output: String,
    emptied: (day: Int64, postbacks: Int64)? = nil
  ) throws(FileFailure) {
    if let emptied, emptied.postbacks > Self.mostMoved {
      try settings.replacement.verify(
        .daily,
        in: output,
        before: { _ in Int(emptied.postbacks) },
        now: 0,
        of: "postbacks received on \(String(Timestamp(milliseconds: emptied.day * 86_400_000).description.prefix(10)))",
        because: "no row of the input is of this day any more"
      )
    }
    let dimensions = DailyDimension.allCases.filter(settings.dimensions.contains).map { JSONValue.string($0.rawValue) }
    let isGroupedAlike = try DerivedTable.summary(of: .daily, in: output)?["dimensions"] == .array(dimensions)
    guard isGroupedAlike || !settings.isPartial else { return }
    try settings.replacement.verify(
      .daily,
      in: output,
      before: { (isGroupedAlike ? $0["rows"]?[Table.daily.name] : $0["postbacks"])?.integer.map(Int.init) },
      now: isGroupedAlike ? written.first?.rows ?? 0 : postbacks,
      of: isGroupedAlike ? "rows" : "postbacks",
      because: explanation
    )
  }
}
