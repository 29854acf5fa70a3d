package import LookupTables
package import PostbackCopies

/// The origin of a postback's network name.
package enum NetworkStatus: String, CaseIterable, Sendable {
  /// The lookup table has a name for the id.
  case mapped
  /// The lookup table has no name for the id, which stands in its place.
  case unmapped
  /// The postback is one of Apple's tests, and no lookup is done.
  case development
}

/// The origin of a postback's campaign values.
package enum EnrichSource: String, CaseIterable, Sendable {
  /// The lookup table.
  case table
  /// The keys that a forwarder added to a copy of the postback.
  case inline
  /// The lookup table and a forwarder.
  case both
}

/// The origin of a postback's country.
package enum CountrySource: String, CaseIterable, Sendable {
  /// The postback's own country code.
  case postback
  /// The only country that the campaign targets.
  case targeting
}

/// A row of `skan_enriched`.
package struct EnrichedRow {
  /// The time of receipt of the copy that decides, in milliseconds since 1970; nil if it is not known.
  package var receivedAt: Int64?
  /// The values of forwarders.
  package var inline = InlineValues()
  /// The network of the lookup tables.
  package var network: Network?
  /// The query for the campaign; nil if the postback has no identifier, or no campaign is of its network.
  var query: CampaignLookup?
  package var networkName = ""
  package var networkStatus = NetworkStatus.unmapped
  package var appName: String?
  package var sourceAppName: String?
  /// The values in the order of `InlineValues.Field`.
  package var campaign = InlineArray<6, String?>(repeating: nil)
  var placement: String?
  var geo: String?
  package var country: Country?
  var countrySource: CountrySource?
  var status = EnrichStatus.unmapped
  var source: EnrichSource?
  var hasConflict = false
  var candidateCount = 0
}
