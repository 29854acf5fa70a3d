internal import Base
internal import JSON
package import PostbackLookup
internal import PostbackVerification
internal import SKAdNetwork
internal import Tables

/// A copy of a postback that was found: the accepted one, or a reject.
struct FoundCopy {
  /// Its row.
  let row: FoundRow
  /// `accepted`, or the reject code.
  let verdict: String
  /// The values of Apple's fields as text, by the names of the columns.
  let values: [String: String]
  /// The explanation of a reject; nil of the accepted copy.
  let explanation: Explanation?

  /// The columns of Apple's fields, in the order of `skan_postbacks`.
  static let columns: [ColumnName] = [
    .framework, .version, .adNetworkID, .transactionID, .appID, .campaignID, .sourceIdentifier, .sourceAppID,
    .sourceDomain, .redownload, .conversionType, .fidelityType, .adInteractionType, .didWin, .postbackSequenceIndex,
    .conversionValue, .coarseConversionValue, .countryCode, .marketplaceIdentifier, .impressionType,
  ]

  /// The accepted copy.
  init(accepted row: FoundRow) {
    self.row = row
    verdict = "accepted"
    values = Dictionary(row.facts(Self.columns)) { $1 }
    explanation = nil
  }

  /// A reject, with the explanation of its bytes.
  init(rejected row: FoundRow, _ explanation: Explanation) {
    self.row = row
    verdict = row.text(.rejectCode) ?? "rejected"
    let facts = explanation.sections.first { $0.title == "postback" }?.facts ?? []
    values = Dictionary(facts.map { ($0.name, $0.value) }) { $1 }
    // The row has the verdict, which is that of the run, and a reject has no value.
    var explanation = explanation.without(["source", "conversion", "outcome"])
    let states = [SignatureState.invalid, .unknownKey].map(\.rawValue)
    let signature = explanation.sections.first { $0.title == "signature" }?.facts ?? []
    if row.text(.stage) == RejectStage.dedup.rawValue,
      signature.contains(where: { $0.name == ColumnName.signatureState.rawValue && states.contains($0.value) })
    {
      explanation = explanation.withoutVerdict(
        because: "not known without the keys of the run; give them with --trust-key"
      )
    }
    self.explanation = explanation
  }

  /// The time of receipt, in milliseconds since 1970; nil if it is not known.
  var receivedAt: Int64? { row.text(.receivedAt).flatMap { Timestamp($0)?.milliseconds } }

  /// The names of the columns in which a copy has another value than this one, in order; none if its fields are not known.
  func differences(to other: FoundCopy) -> [String] {
    guard !values.isEmpty, !other.values.isEmpty else { return [] }
    return Self.columns.map(\.rawValue).filter { values[$0] != other.values[$0] }
  }
}

extension FoundRow {
  /// The bytes in `raw_body` or `raw_body_base64`; nil if there are none.
  package var raw: [UInt8]? { cells.rawBody }

  /// The format of the postback of an accepted row; nil if the row does not name a known one.
  private var format: PostbackFormat? {
    switch text(.framework) {
    case Framework.adAttributionKit.rawValue?: .adAttributionKit
    default: text(.version).flatMap(Version.init).map { .skAdNetwork($0) }
    }
  }

  /// The names of the columns whose values Apple signs in postbacks of the row's format.
  var signedColumns: Set<String> { Set((format?.rules.signedFields ?? []).map(\.columnName)) }

  /// The text that Apple signed, which follows from the fields; nil for AdAttributionKit, whose JWS is not kept.
  var signedText: String? {
    guard let format, format.framework == .skAdNetwork else { return nil }
    var message: [UInt8] = []
    format.rules.appendSignedText(to: &message) { field, message in
      guard let text = cells[field.columnName].flatMap({ $0 == .null ? nil : $0.text ?? $0.description }) else {
        return false
      }
      message += text.utf8
      return true
    }
    return String(decoding: message, as: UTF8.self)
  }

  /// The texts of some columns with their names, without those that are null.
  func facts(_ columns: [ColumnName]) -> [(String, String)] {
    columns.compactMap { column in text(column).map { (column.rawValue, $0) } }
  }

  /// The place of the row, for people.
  var place: String {
    path + (offset.map { ", byte \($0)" } ?? "") + (line.map { ", line \($0)" } ?? "")
  }
}

extension Field {
  /// The name of the column with the field.
  fileprivate var columnName: String {
    switch self {
    case .adNetworkIdentifier: ColumnName.adNetworkID.rawValue
    case .postbackIdentifier: ColumnName.transactionID.rawValue
    case .advertisedItemIdentifier: ColumnName.appID.rawValue
    case .publisherItemIdentifier: ColumnName.sourceAppID.rawValue
    default: name.replacing("-", with: "_")
    }
  }
}
