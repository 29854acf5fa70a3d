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
  case signatureR = "signature_r"
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
  case remoteAddress = "remote_address"
  case query
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
  case dateType = "date_type"
  case date
  case dimensions
  case trustLevel = "trust_level"
  case postbacks
  case postbacksWon = "postbacks_won"
  case installs
  case redownloads
  case reengagements
  case conversions
  case installsClick = "installs_click"
  case installsView = "installs_view"
  case installsInteractionUnknown = "installs_interaction_unknown"
  case assists
  case web
  case fineValues = "fine_values"
  case coarseLow = "coarse_low"
  case coarseMedium = "coarse_medium"
  case coarseHigh = "coarse_high"
  case nulls
  case noValuePossible = "no_value_possible"
  case ambiguousZeros = "ambiguous_zeros"
  case values
  case nullRate = "null_rate"
  case nullRateLow = "null_rate_low"
  case nullRateHigh = "null_rate_high"
  case valueZero = "cv_zero"
  case valuePositive = "cv_positive"
  case valueSum = "cv_sum"
  case decoded
  case unmapped
  case noModel = "no_model"
  case ambiguous
  case undecoded
  case revenue
  case revenueMin = "revenue_min"
  case revenueMax = "revenue_max"
  case unconvertedRows = "unconverted_rows"
  case revenueMaxOpen = "revenue_max_open"
  case revenueMaxClosed = "revenue_max_closed"
  case revenueInAppPurchases = "revenue_iap"
  case revenueAdMonetization = "revenue_admon"
  case revenueAll = "revenue_all"
  case revenueByCurrency = "revenue_by_currency"
  case conflicts
  case directConfirmed = "direct_confirmed"
  case confirmedRevenue = "confirmed_revenue"
  case valueSuspicions = "value_suspicions"
  case modelledRevenue = "modelled_revenue"
  case modelledRevenueLow = "modelled_revenue_low"
  case modelledRevenueHigh = "modelled_revenue_high"
  case modelledStatus = "modelled_status"
  case cost
  case costCurrency = "cost_currency"
  case costByCurrency = "cost_by_currency"
  case costLevel = "cost_level"
  case impressions, clicks
  case networkInstalls = "network_installs"
  case ecpi
  case roas
  case roasMin = "roas_min"
  case roasMax = "roas_max"
  case roasMaxClosed = "roas_max_closed"
  case roasScaled = "roas_scaled"
  case roasScaledConversions = "roas_scaled_conversions"
  case rpu
  case roi
  case revenueAllWindows = "revenue_all_windows"
  case revenueBasis = "revenue_basis"
  case asOf = "as_of"
  case status
  case expectedShare = "expected_share"
  case postbacksWithEvent = "postbacks_with_event"
  case eventECPA = "event_ecpa"
  case eventECR = "event_ecr"
  case value, count
  case metric, previous, current, reason
  case copiesDirect = "copies_direct"
  case copiesForwarded = "copies_forwarded"
  case forwarders
  case firstChannel = "first_channel"
  case directReceivedAt = "direct_received_at"
  case forwardedReceivedAt = "forwarded_received_at"
  case lag = "lag_s"
  case conversionValueState = "conversion_value_state"
  case conversionValueDifference = "conversion_value_difference"
  case conversionValueDirect = "conversion_value_direct"
  case conversionValueForwarded = "conversion_value_forwarded"
  case coarseConversionValueState = "coarse_conversion_value_state"
  case coarseConversionValueDifference = "coarse_conversion_value_difference"
  case coarseConversionValueDirect = "coarse_conversion_value_direct"
  case coarseConversionValueForwarded = "coarse_conversion_value_forwarded"
  case countryCodeState = "country_code_state"
  case countryCodeDifference = "country_code_difference"
  case countryCodeDirect = "country_code_direct"
  case countryCodeForwarded = "country_code_forwarded"
  case adInteractionTypeState = "ad_interaction_type_state"
  case adInteractionTypeDifference = "ad_interaction_type_difference"
  case adInteractionTypeDirect = "ad_interaction_type_direct"
  case adInteractionTypeForwarded = "ad_interaction_type_forwarded"
  case redownloadState = "redownload_state"
  case redownloadDifference = "redownload_difference"
  case redownloadDirect = "redownload_direct"
  case redownloadForwarded = "redownload_forwarded"
  case sourceAppIDState = "source_app_id_state"
  case sourceAppIDDifference = "source_app_id_difference"
  case sourceAppIDDirect = "source_app_id_direct"
  case sourceAppIDForwarded = "source_app_id_forwarded"
  case effectiveDecidedBy = "effective_decided_by"
  case effectiveReceivedAt = "effective_received_at"
  case effectiveConversionValue = "effective_conversion_value"
  case effectiveCoarseConversionValue = "effective_coarse_conversion_value"
  case effectiveCountryCode = "effective_country_code"
  case effectiveAdInteractionType = "effective_ad_interaction_type"
  case effectiveRedownload = "effective_redownload"
  case effectiveSourceAppID = "effective_source_app_id"
  case effectiveZeroMayBeNull = "effective_zero_may_be_null"
  case effectiveChannel = "effective_channel"
  case effectiveForwarder = "effective_forwarder"
  case effectiveDecodeStatus = "effective_decode_status"
  case effectiveModelID = "effective_model_id"
  case effectiveModelVersion = "effective_model_version"
  case effectiveRevenue = "effective_revenue"
  case effectiveMinRevenue = "effective_min_revenue"
  case effectiveMaxRevenue = "effective_max_revenue"
  case effectiveCurrency = "effective_currency"
  case effectiveRevenueKind = "effective_revenue_kind"
  case effectiveCumulative = "effective_cumulative"
  case effectiveEstimatedInstallDate = "effective_estimated_install_date"
  case effectiveInstallDateEarliest = "effective_install_date_earliest"
  case effectiveInstallDateLatest = "effective_install_date_latest"
  case scope
  case periodStart = "period_start"
  case periodEnd = "period_end"
  case credibility
  case observedRevenue = "observed_revenue"
  case nullRevenue = "null_revenue"
  case nullRevenueVariance = "null_revenue_variance"
  case nullRevenueLow = "null_revenue_low"
  case nullRevenueHigh = "null_revenue_high"
  case boundLow = "bound_low"
  case boundHigh = "bound_high"
  case level
  case assumption
  case modelStatus = "model_status"
  case modelledRevenueMin = "modelled_revenue_min"
  case modelledRevenueMax = "modelled_revenue_max"
  case modelledRevenueHalf = "modelled_revenue_delta_0_5"
  case modelledRevenueThreeQuarters = "modelled_revenue_delta_0_75"
  case modelledRevenueFiveQuarters = "modelled_revenue_delta_1_25"
  case modelledRevenueThreeHalves = "modelled_revenue_delta_1_5"
  case nullOddsLow = "null_odds_low"
  case nullOddsHigh = "null_odds_high"
  case tierFactor = "tier_factor"
  case dayFactor = "day_factor"
  case coarseBasis = "coarse_basis"
  case bucketBasis = "bucket_basis"
  case modelledPostbacks = "modelled_postbacks"
  case modelledPostbacksLow = "modelled_postbacks_low"
  case modelledPostbacksHigh = "modelled_postbacks_high"
  case deliveryID = "delivery_id"
  case partner, kind, state, attempts
  case firstAttemptAt = "first_attempt_at"
  case lastAttemptAt = "last_attempt_at"
  case httpStatus = "http_status"
  case error
  case nextAttemptAt = "next_attempt_at"
  case attributionKey = "attribution_key"
  case tokenSHA256 = "token_sha256"
  case outcome
  case detail
  case attribution
  case orgID = "org_id"
  case orgName = "org_name"
  case adGroupID = "ad_group_id"
  case adGroupName = "ad_group_name"
  case keywordID = "keyword_id"
  case keyword
  case keywordMatchType = "keyword_match_type"
  case adID = "ad_id"
  case adName = "ad_name"
  case creativeSetID = "creative_set_id"
  case creativeSetName = "creative_set_name"
  case claimType = "claim_type"
  case clickAt = "click_at"
  case impressionAt = "impression_at"
  case supplyPlacement = "supply_placement"
  case apiVersion = "api_version"
  case source
  case flags
  case preOrders = "pre_orders"
  case conversionsClick = "conversions_click"
  case conversionsView = "conversions_view"
  case note
  case importKey = "import_key"
  case vendor
  case verification

  // Members of `conflicting_fields`, besides `field`.
  case first, later

  // Parameters of apps' events.
  case appBundleID = "i"
  case appVersion = "app_v"
  case platform = "p"
  case osVersion = "v"
  case sdkKey = "a"
  case sessionEvent = "n"
  case idfa, idfv
  case currentFineValue = "skan_current_conversion_value"
  case previousFineValue = "prev_fine_value"
  case firstCall = "skan_first_call_to_skadnetwork_timestamp"
  case lastCall = "skan_last_call_to_skadnetwork_timestamp"
  case totalPurchases = "skan_total_revenue_by_currency"
  case totalAds = "skan_total_admon_revenue_by_currency"
  case coarse0 = "p0_coarse"
  case previousCoarse0 = "p0_prev_coarse_value"
  case lock0 = "p0_window_lock"
  case purchases0 = "p0_total_iap_revenue"
  case ads0 = "p0_total_admon_revenue"
  case coarse1 = "p1_coarse"
  case previousCoarse1 = "p1_prev_coarse_value"
  case lock1 = "p1_window_lock"
  case purchases1 = "p1_total_iap_revenue"
  case ads1 = "p1_total_admon_revenue"
  case coarse2 = "p2_coarse"
  case previousCoarse2 = "p2_prev_coarse_value"
  case lock2 = "p2_window_lock"
  case purchases2 = "p2_total_iap_revenue"
  case ads2 = "p2_total_admon_revenue"
}
