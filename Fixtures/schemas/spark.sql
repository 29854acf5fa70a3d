CREATE TABLE skan_postbacks (
  postback_key STRING NOT NULL COMMENT 'The key of the postback, the same in every run: the first 128 bits, in hexadecimal digits, of the SHA-256 of framework, ad network, transaction and window (0 before 4.0), joined by U+2063. It is unique in this table, and joins the tables.',
  framework STRING NOT NULL COMMENT 'skadnetwork or adattributionkit.',
  version STRING COMMENT 'Apple\'s version: 1.0, 2.0, 2.1, 2.2, 3.0, 4.0. It is 1.0 if the postback has none, and null for AdAttributionKit.',
  ad_network_id STRING NOT NULL COMMENT 'ad-network-id or ad-network-identifier, exactly as it was sent. Signed.',
  transaction_id STRING NOT NULL COMMENT 'transaction-id or postback-identifier, exactly as it was sent. Signed.',
  app_id BIGINT NOT NULL COMMENT 'The advertised app: app-id or advertised-item-identifier. Signed.',
  campaign_id BIGINT COMMENT 'campaign-id, 1 to 100. Signed. Null from 4.0 on and for AdAttributionKit.',
  source_identifier STRING COMMENT 'source-identifier, two to four digits. Leading zeros count. Signed. Null before 4.0, and if an AdAttributionKit postback has none.',
  source_app_id BIGINT COMMENT 'The app that showed the ad: source-app-id or publisher-item-identifier. Signed from 2.0 on. Null if Apple does not tell, and if a forwarder filled in a 0.',
  source_domain STRING COMMENT 'The website that showed the ad: source-domain, from 4.0 on. Signed. Null if there is none. A domain beside a signed source-app-id is not signed, and is in extras.',
  redownload BOOLEAN COMMENT 'redownload: true if the app was installed before. Signed from 2.0 on. Null for AdAttributionKit, and if a 1.0 postback has no readable value.',
  conversion_type STRING COMMENT 'conversion-type: download, redownload, or re-engagement (also if Apple wrote reengagement). Signed. Null for SKAdNetwork, and if there is none.',
  fidelity_type BIGINT COMMENT 'fidelity-type: 0 for a view-through ad, 1 for a StoreKit-rendered ad. Signed. Null before 2.2 and for AdAttributionKit.',
  ad_interaction_type STRING COMMENT 'ad-interaction-type: click or view. Not signed. Null for SKAdNetwork, and if there is no readable value.',
  did_win BOOLEAN COMMENT 'did-win: true if the ad network won the attribution. Signed. Null before 3.0, when Apple sent wins only.',
  postback_sequence_index BIGINT COMMENT 'The conversion window: 0 for days 0 to 2, 1 for days 3 to 7, 2 for days 8 to 35. Signed. Null before 4.0, which has one window.',
  conversion_value BIGINT COMMENT 'The fine conversion value, 0 to 63. Not signed. Null if there is no readable value, which is not the same as 0. Null in 1.0, where the value is in extras.',
  coarse_conversion_value STRING COMMENT 'low, medium or high. Not signed. Null if there is no readable value, and before 4.0.',
  country_code STRING COMMENT 'country-code in capital letters. Not signed. Null if there is no readable value.',
  marketplace_identifier STRING COMMENT 'marketplace-identifier. Signed. Null for SKAdNetwork, and if there is none.',
  impression_type STRING COMMENT 'impression-type. Signed. Null for SKAdNetwork, and if there is none.',
  key_id STRING NOT NULL COMMENT 'The trusted key that verified the signature: Apple\'s kid (apple-cas-identifier/0, also for SKAdNetwork from 2.1 on), apple-skadnetwork-p192 before 2.1, or the name that --trust-key gave.',
  environment STRING NOT NULL COMMENT 'production; development if a development key of Apple signed the postback, or if a signed id is one of Apple\'s placeholders for tests (an app or a source app of 0, or the ad network development.adattributionkit); custom if a key of --trust-key signed it.',
  signature_state STRING NOT NULL COMMENT 'valid; valid_zero_filled if the signature is right after a source-app-id of 0 or an empty source-domain is left out, which a forwarder had filled in; development if a development key of Apple signed it (only with --allow-development).',
  coerced_fields ARRAY<STRING> COMMENT 'Apple\'s names of the fields that were written in another form with the same meaning: a number or a Boolean as a string, a string as a number, 42.0 for 42, a word or a country in another letter case, "" for null. Null if there is none. Some of campaign-id, source-identifier, app-id, redownload, source-app-id, fidelity-type, did-win, postback-sequence-index, conversion-value, coarse-conversion-value, country-code, ad-interaction-type, advertised-item-identifier, publisher-item-identifier.',
  tier_flags ARRAY<STRING> COMMENT 'Combinations that Apple\'s data tiers make impossible, so that somebody edited unsigned fields, and values that could not be read. Null if there is none. Some of fine_and_coarse, fine_in_later_window, source_digits_in_later_window, source_app_in_later_window, source_digits_with_coarse, source_app_with_coarse, lost_in_later_window, lost_with_source_app, lost_with_conversion_value, zero_may_be_null, country_in_later_window, country_with_coarse, lost_with_country, marketplace_in_tier_0, unsigned_source_domain, unreadable_conversion_value, unreadable_coarse_conversion_value, unreadable_ad_interaction_type, unreadable_country_code, unreadable_redownload, unreadable_source_app_id.',
  channel STRING COMMENT 'The channel through which the postback came, apple_direct or network_forwarded, from the envelope. Null if the envelope does not give it.',
  forwarder STRING COMMENT 'The name of the forwarder, from the envelope. Null if the envelope does not give it.',
  received_at TIMESTAMP COMMENT 'The time of receipt. Null if no source gives it.',
  received_at_source STRING COMMENT 'The source of that time: envelope, option (--received-at), field (the key that --received-at-field names) or file_mtime (the modification time of the input file). Null if received_at is null.',
  estimated_install_date TIMESTAMP COMMENT 'The middle of the two following columns. Null if either is null.',
  install_date_earliest TIMESTAMP COMMENT 'The earliest time of the first launch that the time of receipt, the version, the window and the conversion model allow. Null if received_at is null, and in the environment development, where a test may arrive minutes after the launch.',
  install_date_latest TIMESTAMP COMMENT 'The latest possible time of the first launch. It is received_at itself in the environment development. Null if received_at is null.',
  model_id STRING COMMENT 'The conversion model in force. If decode_status is ambiguous, the models that disagree, the earliest first, such as revenue@2|revenue@3, with none for a part of the time without a model. Null if no model counts.',
  model_version BIGINT COMMENT 'The version of the model. Null unless decode_status is decoded or unmapped.',
  decode_status STRING NOT NULL COMMENT 'decoded; null if the postback has no value; unmapped if the model does not list the value; no_model if the app has no model for that time; ambiguous if the models of the possible install dates disagree; not_won if did_win is false.',
  skan_revenue DECIMAL(28, 7) COMMENT 'The estimated revenue, in currency. It is 0 if the value means that there was none. Null unless decoded, and if the model has no currency.',
  min_revenue DECIMAL(28, 7) COMMENT 'The least possible revenue. Null if skan_revenue is null.',
  max_revenue DECIMAL(28, 7) COMMENT 'The limit that the revenue stays below, or the exact revenue if it equals min_revenue. Null if skan_revenue is null, and if there is no upper limit: a sum with such a row has no upper limit either.',
  currency STRING COMMENT 'The ISO 4217 code of the amounts. Amounts of two currencies are never added. Null if skan_revenue is null.',
  cumulative BOOLEAN COMMENT 'True if the values of this window include the earlier windows, as the model says: then revenue is never added to that of earlier windows of the same users. Null unless decode_status is decoded.',
  extras STRING COMMENT 'All other keys of the postback, as they were sent, and the parameters of the HTTP query as query.NAME. Nothing in it is signed, except what is under jws-string. Null if there is none.',
  source_file STRING NOT NULL COMMENT 'The input as it was named, - for standard input.',
  source_line BIGINT NOT NULL COMMENT 'The line of the decompressed input on which the record begins, from 1.'
)
USING PARQUET
COMMENT 'An accepted postback: a trusted key signed it, it is allowed, and it is the first of its kind. In CSV a null is an empty field, an empty text is "", lists are joined by semicolons, and extras is JSON text.';

CREATE TABLE skan_events (
  postback_key STRING NOT NULL COMMENT 'The postback, a row of skan_postbacks.',
  event_name STRING NOT NULL COMMENT 'The name of the event in the model, at most 256 bytes.',
  postback_sequence_index BIGINT COMMENT 'The conversion window of the postback, 0 to 2. Null before 4.0.',
  event_count DECIMAL(20, 1) NOT NULL COMMENT 'The estimated number of times: the middle of the two following columns, which may be a half, or min_event_count if there is no upper limit.',
  min_event_count BIGINT NOT NULL COMMENT 'The least possible number of times.',
  max_event_count BIGINT COMMENT 'The greatest possible number of times. Null if there is no upper limit.',
  skan_revenue DECIMAL(28, 7) COMMENT 'The estimated revenue of all these times together, in currency. Null if the event has no revenue.',
  min_revenue DECIMAL(28, 7) COMMENT 'The least possible revenue. Null if skan_revenue is null.',
  max_revenue DECIMAL(28, 7) COMMENT 'The limit that the revenue stays below, or the exact revenue if it equals min_revenue. Null if skan_revenue is null, and if there is no upper limit: a sum with such a row has no upper limit either.',
  currency STRING COMMENT 'The ISO 4217 code of the amounts. Amounts of two currencies are never added. Null if skan_revenue is null.',
  cumulative BOOLEAN NOT NULL COMMENT 'True if the values of this window include the earlier windows, as the model says: then counts and revenue are never added to those of earlier windows of the same users.',
  revenue_kind STRING COMMENT 'The origin of the revenue: iap for in-app purchases, admon for ads in the app, all for both. Null if skan_revenue is null.',
  model_id STRING NOT NULL COMMENT 'The conversion model that says so.',
  model_version BIGINT NOT NULL COMMENT 'The version of the model.'
)
USING PARQUET
COMMENT 'An event that an accepted postback decodes to. A postback whose decode_status is decoded has one row for each event of its value, in the order of the model; other postbacks have none. In CSV a null is an empty field.';

CREATE TABLE skan_rejects (
  stage STRING NOT NULL COMMENT 'The stage that rejected the record: parse if the bytes are not a JSON object, schema if the object is not a postback of the version that it names, signature if no trusted key signed it, policy if it is not allowed here, dedup if it came before.',
  reject_code STRING NOT NULL COMMENT 'The reason, a stable code that belongs to one stage. One of not_json, not_an_object, too_large, too_deep, invalid_utf8, duplicate_key, truncated_input, unknown_version, unsupported_version, missing_field, wrong_type, out_of_range, forbidden_character, malformed_jws, malformed_signature, signature_invalid, unknown_key, development_key, app_not_allowed, network_not_allowed, duplicate_identical, duplicate_conflict, duplicate_transaction.',
  reject_detail STRING NOT NULL COMMENT 'The reason in words. The words may change.',
  field STRING COMMENT 'The key that is wrong, at most 200 bytes. For duplicate_conflict it is the first of conflicting_fields. Null if it is not a single key.',
  expected STRING COMMENT 'The expected content, in words. For duplicate_conflict it is the value of the first copy. Null if field is null, and if the first copy has no value.',
  found STRING COMMENT 'The content that is there, at most 200 bytes. Null if nothing is there.',
  ad_network_id STRING COMMENT 'The ad network that the record names, unchecked. Null if it names none.',
  transaction_id STRING COMMENT 'The transaction that the record names, unchecked. Null if it names none.',
  app_id STRING COMMENT 'The app that the record names, as text, unchecked. Null if it names none.',
  version STRING COMMENT 'The version that the record names, as text, unchecked. Null if it names none.',
  first_seen_postback_key STRING COMMENT 'The row of skan_postbacks that this record duplicates. Null unless stage is dedup.',
  conflicting_fields STRING COMMENT 'The unsigned fields that differ from the first copy, each with field, first and later. Null unless the code is duplicate_conflict.',
  channel STRING COMMENT 'The channel through which the postback came, apple_direct or network_forwarded, from the envelope. Null if the envelope does not give it.',
  forwarder STRING COMMENT 'The name of the forwarder, from the envelope. Null if the envelope does not give it.',
  received_at TIMESTAMP COMMENT 'The time of receipt. Null if no source gives it.',
  received_at_source STRING COMMENT 'The source of that time: envelope, option (--received-at), field (the key that --received-at-field names) or file_mtime (the modification time of the input file). Null if received_at is null.',
  source_file STRING NOT NULL COMMENT 'The input as it was named, - for standard input.',
  source_line BIGINT NOT NULL COMMENT 'The line of the decompressed input on which the record begins, from 1.',
  raw_sha256 STRING NOT NULL COMMENT 'The SHA-256 of all bytes of the record, also if not all of them were kept.',
  raw_body STRING COMMENT 'The bytes of the record, unchanged. Null if they are not UTF-8 or contain a NUL.',
  raw_body_base64 STRING COMMENT 'The bytes in base64 if raw_body cannot hold them.'
)
USING PARQUET
COMMENT 'A record of the input that was rejected, with the reason and with its bytes. ad_network_id, transaction_id, app_id and version are unchecked texts here. In CSV a null is an empty field, an empty text is "", and conflicting_fields is JSON text.';

CREATE TABLE skan_enriched (
  postback_key STRING NOT NULL COMMENT 'The postback, a row of skan_postbacks.',
  network_name STRING NOT NULL COMMENT 'The name of the ad network. The id in lower case if network_status is unmapped, and (development) if it is development.',
  network_status STRING NOT NULL COMMENT 'mapped if networks has the id at the time of receipt; unmapped if not; development for Apple\'s tests, for which nothing is looked up.',
  app_name STRING COMMENT 'The name of the advertised app. Null if apps does not have it.',
  source_app_name STRING COMMENT 'The name of the app or the website that showed the ad. Null if source_apps does not have it, and if Apple does not tell which it was.',
  campaign_id STRING COMMENT 'The id of the campaign at the ad network. Null if it is not known.',
  campaign_name STRING COMMENT 'The name of the campaign. Null if it is not known, and if it has changed in the time in question.',
  adgroup_id STRING COMMENT 'The id of the ad group.',
  adgroup_name STRING COMMENT 'The name of the ad group.',
  creative_id STRING COMMENT 'The id of the creative.',
  creative_name STRING COMMENT 'The name of the creative.',
  placement STRING COMMENT 'The placement.',
  geo STRING COMMENT 'The region, as campaigns has it.',
  country STRING COMMENT 'The country, ISO 3166-1 alpha-2. It never comes from a name or an address.',
  country_source STRING COMMENT 'postback if the postback has the country; targeting if it is the only country that all rows of campaigns that fit target. Null if country is null.',
  enrich_status STRING NOT NULL COMMENT 'exact if one row of campaigns fits; agreed if several fit and agree on the campaign; ambiguous if they do not agree on it; outside_validity if rows with the identifier are not valid at the time of the impression; unmapped if no row has the identifier.',
  enrich_source STRING COMMENT 'The origin of the campaign, the ad group and the creative: table for campaigns, inline for the keys that a forwarder added, or both. Null if there are none.',
  enrich_conflict BOOLEAN NOT NULL COMMENT 'True if a forwarder names another campaign, ad group or creative than campaigns. The row has the values of campaigns.',
  candidate_count BIGINT NOT NULL COMMENT 'The number of rows of campaigns that fit.',
  environment STRING NOT NULL COMMENT 'As in skan_postbacks, or forwarder_test if a forwarder marks the postback as a test. Reports leave tests out. One of production, development, custom, forwarder_test.',
  forwarded_at TIMESTAMP COMMENT 'The time at which a forwarder handed the postback on, as it says itself. Null if it does not say so, if the time is before September 2001, and if it is more than a day after the receipt.'
)
USING PARQUET
COMMENT 'An accepted postback with the names and the campaign of lookup tables. There is one row for each row of skan_postbacks, in the same order. In CSV a null is an empty field.';
