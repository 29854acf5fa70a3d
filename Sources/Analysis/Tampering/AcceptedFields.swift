package import PostbackPipeline
package import PostbackVerification
internal import SKAdNetwork
package import TableReading
internal import Tables
package import Tampering

/// A reader of the values of Apple's fields in rows of skan_postbacks.
struct AcceptedFields: Sendable {
  private typealias Place = (field: Field, column: Int)

  private let framework = Table.postbacks.place(.framework)
  private let skAdNetwork = Self.places(
    [
      (.version, .version), (.adNetworkID, .adNetworkID), (.campaignID, .campaignID), (.appID, .appID),
      (.transactionID, .transactionID), (.redownload, .redownload), (.sourceAppID, .sourceAppID),
      (.sourceDomain, .sourceDomain), (.fidelityType, .fidelityType),
    ]
  )
  private let adAttributionKit = Self.places(
    [
      (.adNetworkIdentifier, .adNetworkID), (.postbackIdentifier, .transactionID),
      (.advertisedItemIdentifier, .appID), (.publisherItemIdentifier, .sourceAppID),
      (.marketplaceIdentifier, .marketplaceIdentifier), (.conversionType, .conversionType),
      (.impressionType, .impressionType), (.adInteractionType, .adInteractionType),
    ]
  )

  private static func places(_ own: [(Field, ColumnName)]) -> [Place] {
    let shared: [(Field, ColumnName)] = [
      (.sourceIdentifier, .sourceIdentifier), (.didWin, .didWin),
      (.postbackSequenceIndex, .postbackSequenceIndex), (.conversionValue, .conversionValue),
      (.coarseConversionValue, .coarseConversionValue), (.countryCode, .countryCode),
    ]
    return (own + shared).map { (field: $0, column: Table.postbacks.place($1)) }
  }

  /// The framework of the current row; nil if the row does not name a known one.
  func framework(_ row: borrowing RowCursor) -> Framework? { row.text(framework).flatMap(Framework.init) }

  /// The values of the framework's fields in the current row, as text. Fields that are null are left out.
  func values(_ row: borrowing RowCursor, of framework: Framework) -> [Field: String] {
    var values: [Field: String] = [:]
    for (field, column) in framework == .skAdNetwork ? skAdNetwork : adAttributionKit {
      values[field] = row.text(column)
    }
    return values
  }
}

extension DiagnosisContext {
  /// The maximum number of postbacks of each framework that are used, the first ones: adding one takes about 30 µs.
  private static let mostPostbacks = 20_000

  /// Collects the values of accepted postbacks, such as apps and networks, that an edit may have replaced. Of
  /// SKAdNetwork postbacks it also keeps the signed fields, as their signature may appear on another postback. The
  /// tables do not contain the signed text of AdAttributionKit postbacks, the JWS.
  ///
  /// Finds the owners of `signatures` among all accepted postbacks.
  package init(
    of accepted: TableFiles,
    signatures: some Sequence<SignatureR>,
    jobs: Int
  ) async throws(PipelineFailure) {
    self.init()
    let fields = AcceptedFields()
    let owners = SignatureOwners(of: SignatureSet(signatures))
    var context = self
    var left = [Framework.skAdNetwork: Self.mostPostbacks, .adAttributionKit: Self.mostPostbacks]
    try await accepted.scan(jobs: jobs) { batch in
      var postbacks: [(framework: Framework, values: [Field: String])] = []
      var row = RowCursor(batch, of: .postbacks)
      while row.next() {
        guard let framework = fields.framework(row) else { continue }
        postbacks.append((framework, fields.values(row, of: framework)))
      }
      return (postbacks, owners.find(in: batch).found)
    } take: { postbacks, found in
      for postback in found { context.addOwner(postback.owner, of: postback.r) }
      for (framework, values) in postbacks where left[framework, default: 0] > 0 {
        left[framework, default: 0] -= 1
        switch framework {
        case .skAdNetwork: context.addGenuine(values)
        case .adAttributionKit: for (field, value) in values { context.note(value, of: field) }
        }
      }
    }
    self = context
  }
}
