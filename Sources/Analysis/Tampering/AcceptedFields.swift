internal import PostbackPipeline
internal import SKAdNetwork

/// A reader of the values of Apple's fields in rows of skan_postbacks.
struct AcceptedFields: Sendable {
  private typealias Place = (field: Field, column: Int)

  private let framework = Table.postbacks.place("framework")
  private let skAdNetwork = Self.places(
    [
      (.version, "version"), (.adNetworkID, "ad_network_id"), (.campaignID, "campaign_id"), (.appID, "app_id"),
      (.transactionID, "transaction_id"), (.redownload, "redownload"), (.sourceAppID, "source_app_id"),
      (.sourceDomain, "source_domain"), (.fidelityType, "fidelity_type"),
    ]
  )
  private let adAttributionKit = Self.places(
    [
      (.adNetworkIdentifier, "ad_network_id"), (.postbackIdentifier, "transaction_id"),
      (.advertisedItemIdentifier, "app_id"), (.publisherItemIdentifier, "source_app_id"),
      (.marketplaceIdentifier, "marketplace_identifier"), (.conversionType, "conversion_type"),
      (.impressionType, "impression_type"), (.adInteractionType, "ad_interaction_type"),
    ]
  )

  private static func places(_ own: [(Field, String)]) -> [Place] {
    let shared: [(Field, String)] = [
      (.sourceIdentifier, "source_identifier"), (.didWin, "did_win"),
      (.postbackSequenceIndex, "postback_sequence_index"), (.conversionValue, "conversion_value"),
      (.coarseConversionValue, "coarse_conversion_value"), (.countryCode, "country_code"),
    ]
    return (own + shared).map { (field: $0, column: Table.postbacks.place($1)) }
  }

  /// The framework of the row at hand; nil where the row does not name a known one.
  func framework(_ row: borrowing RowCursor) -> Framework? { row.text(framework).flatMap(Framework.init) }

  /// The values of the framework's fields in the row at hand, as text. Fields that are null are left out.
  func values(_ row: borrowing RowCursor, of framework: Framework) -> [Field: String] {
    var values: [Field: String] = [:]
    for (field, column) in framework == .skAdNetwork ? skAdNetwork : adAttributionKit {
      values[field] = row.text(column)
    }
    return values
  }
}
