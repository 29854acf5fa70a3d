/// The names of all columns of all tables. Names are part of the public contract.
package enum ColumnName: String, CaseIterable, Sendable {
  case postbackKey = "postback_key"
  case framework
  case version
  case adNetworkID = "ad_network_id"
  case transactionID = "transaction_id"
  case appID = "app_id"
  case campaignID = "campaign_id"
  case sourceIdentifier = "source_identifier"
  case sourceAppID = "source_app_id"
  case sourceDomain = "source_domain"
  case redownload
  case conversionType = "conversion_type"
  case fidelityType = "fidelity_type"
  case adInteractionType = "ad_interaction_type"
  case didWin = "did_win"
  case postbackSequenceIndex = "postback_sequence_index"
  case conversionValue = "conversion_value"
  case coarseConversionValue = "coarse_conversion_value"
  case countryCode = "country_code"
  case marketplaceIdentifier = "marketplace_identifier"
  case impressionType = "impression_type"
  case keyID = "key_id"
  case environment
  case signatureState = "signature_state"
  case coercedFields = "coerced_fields"
  case tierFlags = "tier_flags"
  case channel
  case forwarder
  case receivedAt = "received_at"
  case receivedAtSource = "received_at_source"
  case estimatedInstallDate = "estimated_install_date"
  case installDateEarliest = "install_date_earliest"
  case installDateLatest = "install_date_latest"
  case modelID = "model_id"
  case modelVersion = "model_version"
  case decodeStatus = "decode_status"
  case skanRevenue = "skan_revenue"
  case minRevenue = "min_revenue"
  case maxRevenue = "max_revenue"
  case currency
  case cumulative
  case extras
  case sourceFile = "source_file"
  case sourceLine = "source_line"
  case eventName = "event_name"
  case eventCount = "event_count"
  case minEventCount = "min_event_count"
  case maxEventCount = "max_event_count"
  case revenueKind = "revenue_kind"
  case stage
  case rejectCode = "reject_code"
  case rejectDetail = "reject_detail"
  case field
  case expected
  case found
  case firstSeenPostbackKey = "first_seen_postback_key"
  case conflictingFields = "conflicting_fields"
  case rawSHA256 = "raw_sha256"
  case rawBody = "raw_body"
  case rawBodyBase64 = "raw_body_base64"
  case networkName = "network_name"
  case networkStatus = "network_status"
  case appName = "app_name"
  case sourceAppName = "source_app_name"
  case campaignName = "campaign_name"
  case adgroupID = "adgroup_id"
  case adgroupName = "adgroup_name"
  case creativeID = "creative_id"
  case creativeName = "creative_name"
  case placement
  case geo
  case country
  case countrySource = "country_source"
  case enrichStatus = "enrich_status"
  case enrichSource = "enrich_source"
  case enrichConflict = "enrich_conflict"
  case candidateCount = "candidate_count"
  case forwardedAt = "forwarded_at"

  // Members of `conflicting_fields`, besides `field`.
  case first
  case later
}
