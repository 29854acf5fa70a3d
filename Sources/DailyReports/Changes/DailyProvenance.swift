package import JSON
internal import Tables

/// The settings and files of a daily report, as its summary records them. Those of two reports tell why they differ.
package struct DailyProvenance: Sendable, Equatable {
  /// The digests of the files that a change can follow from, by its reason; nil for a file that there is not.
  package var digests: [ChangeReason: String] = [:]
  /// The digest of the settlement whose values count; nil if there is none.
  package var settlement: String?
  /// The hours of the grace period of this settlement; nil if they are not known.
  package var graceHours: Int64?
  /// The number of bytes of the tables of postbacks and of rejects, which grow with each postback and each copy.
  package var inputBytes: Int64 = 0
  /// The number of bytes of the table of postbacks; nil if an earlier version of the program made the report.
  package var acceptedBytes: Int64?
  /// The number of removals of rows on a person's request so far.
  package var requests: Int64 = 0
  /// The settings that must be the same for two reports to be compared.
  package var settings: [String] = []
  /// The SHA-256 of the rows in the first of their formats.
  package var rows = ""

  /// Nothing.
  package init() {}

  private static let members: [(reason: ChangeReason, key: String)] = [
    (.lookup, "lookup_digest"), (.model, "models_digest"), (.rates, "rates_digest"), (.cost, "cost_digest"),
  ]
  private static let settlementKey = "settled_digest"
  private static let graceHoursKey = "grace_hours"
  private static let inputBytesKey = "input_bytes"
  private static let acceptedBytesKey = "accepted_bytes"
  private static let requestsKey = "requests"
  private static let settingsKey = "settings"
  private static let rowsKey = "rows_digest"

  /// The currency to which amounts were converted; nil if they stayed in their own.
  package var currency: String? { setting("currency").flatMap { $0.isEmpty ? nil : $0 } }

  /// The environments whose postbacks were counted, joined by semicolons; nil if they are not known.
  var environments: String? { setting("environments") }

  /// Indicates that the rows are grouped by the conversion model, so that another model moves postbacks to other rows.
  private var groupsByModel: Bool {
    setting("dimensions")?.split(separator: ";").compactMap { DailyDimension(String($0)) }
      .contains { [.modelID, .modelVersion].contains($0) } ?? false
  }

  private func setting(_ name: String) -> String? {
    settings.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
  }

  /// The members of the summary.
  package var members: [JSONValue.Member] {
    Self.members.map { .init($0.key, .text(digests[$0.reason])) } + [
      .init(Self.settlementKey, .text(settlement)),
      .init(Self.graceHoursKey, .integer(graceHours)),
      .init(Self.inputBytesKey, .integer(inputBytes)),
      .init(Self.acceptedBytesKey, .integer(acceptedBytes)),
      .init(Self.requestsKey, .integer(requests)),
      .init(Self.settingsKey, .texts(settings)), .init(Self.rowsKey, .string(rows)),
    ]
  }

  /// Reads the members of a summary; nil if it has none.
  package init?(_ summary: JSONValue) {
    guard case .array(let settings)? = summary[Self.settingsKey], let rows = summary[Self.rowsKey]?.text else {
      return nil
    }
    self.rows = rows
    self.settings = settings.compactMap(\.text)
    settlement = summary[Self.settlementKey]?.text
    graceHours = summary[Self.graceHoursKey]?.integer
    if case .number(let text)? = summary[Self.inputBytesKey] { inputBytes = Int64(text) ?? 0 }
    if case .number(let text)? = summary[Self.acceptedBytesKey] { acceptedBytes = Int64(text) }
    requests = summary[Self.requestsKey]?.integer ?? 0
    for (reason, key) in Self.members { digests[reason] = summary[key]?.text }
  }

  /// The causes that two reports can differ by.
  func causes(comparedWith previous: DailyProvenance) -> ChangeCauses {
    var causes = ChangeCauses()
    causes.groupsByModel = groupsByModel
    causes.hasRemovals = requests != previous.requests
    if let graceHours, let before = previous.graceHours, graceHours != before {
      causes.graceHours = (before, graceHours)
    }
    causes.files = Set(Self.members.map(\.reason).filter { digests[$0] != previous.digests[$0] })
    let isKnown = digests[.model] != nil && previous.digests[.model] != nil
    if let acceptedBytes, let before = previous.acceptedBytes {
      causes.hasNewPostbacks = acceptedBytes != before
      causes.hasNewCopies = inputBytes - acceptedBytes != previous.inputBytes - before
      // With the same models another settlement is one of more copies.
      if isKnown, settlement != previous.settlement { causes.hasNewCopies = true }
      if isKnown { return causes }
    }
    guard settlement != previous.settlement, !causes.files.contains(.model) else { return causes }
    if inputBytes == previous.inputBytes { causes.files.insert(.model) } else { causes.isUncertain = !isKnown }
    return causes
  }
}

/// The causes of changes that the files and settings of two reports tell.
struct ChangeCauses {
  /// The files that differ, as reasons.
  var files: Set<ChangeReason> = []
  /// Indicates that a settlement with other models cannot be told from one with later copies.
  var isUncertain = false
  /// The grace periods of both settlements in hours where they differ, so that other copies may decide; nil if they do not.
  var graceHours: (before: Int64, now: Int64)?
  /// Indicates that the rows are grouped by the conversion model.
  var groupsByModel = false
  /// Indicates that rows were removed on a person's request. What goes because of its age changes no number.
  var hasRemovals = false
  /// Indicates that postbacks may have arrived.
  var hasNewPostbacks = true
  /// Indicates that copies have arrived, or were settled.
  var hasNewCopies = false

  /// The reason of a change of a column; nil if it cannot be told. `isLate` indicates that there are more postbacks of the
  /// day than before, and `isMoved` that a row with a cost alone has come or gone, and so the value may be in another row.
  func reason(of column: ColumnName, isLate: Bool, isMoved: Bool = false) -> ChangeReason? {
    var possible = ChangeReason.possible(for: column)
    if isMoved { possible.insert(.cost) }
    if groupsByModel, possible.contains(.latePostback) { possible.insert(.model) }
    var reasons = files.intersection(possible)
    if isUncertain, !isLate, possible.contains(.model) { return nil }
    if graceHours != nil, possible.contains(.lateCopy) { return nil }
    // What has less may be without the removed rows, or without those that a late copy gives another place.
    if hasRemovals, !isLate, possible.contains(.latePostback) { return nil }
    // Without another file, only rows that have arrived can change a number: postbacks if there are more of the day, and
    // otherwise copies.
    let arrived: ChangeReason = hasNewCopies && !(isLate && hasNewPostbacks) ? .lateCopy : .latePostback
    if isLate || reasons.isEmpty { reasons.formUnion(possible.intersection([arrived])) }
    return reasons.count == 1 ? reasons.first : nil
  }
}
