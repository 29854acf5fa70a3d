CREATE TABLE skan_postbacks (
  postback_key VARCHAR NOT NULL,
  framework VARCHAR NOT NULL,
  version VARCHAR,
  ad_network_id VARCHAR NOT NULL,
  transaction_id VARCHAR NOT NULL,
  app_id BIGINT NOT NULL,
  campaign_id BIGINT,
  source_identifier VARCHAR,
  source_app_id BIGINT,
  source_domain VARCHAR,
  redownload BOOLEAN,
  conversion_type VARCHAR,
  fidelity_type BIGINT,
  ad_interaction_type VARCHAR,
  did_win BOOLEAN,
  postback_sequence_index BIGINT,
  conversion_value BIGINT,
  coarse_conversion_value VARCHAR,
  country_code VARCHAR,
  marketplace_identifier VARCHAR,
  impression_type VARCHAR,
  key_id VARCHAR NOT NULL,
  environment VARCHAR NOT NULL,
  signature_state VARCHAR NOT NULL,
  signature_r VARCHAR,
  coerced_fields VARCHAR[],
  tier_flags VARCHAR[],
  channel VARCHAR,
  forwarder VARCHAR,
  remote_address VARCHAR,
  received_at TIMESTAMPTZ,
  received_at_source VARCHAR,
  estimated_install_date TIMESTAMPTZ,
  install_date_earliest TIMESTAMPTZ,
  install_date_latest TIMESTAMPTZ,
  model_id VARCHAR,
  model_version BIGINT,
  decode_status VARCHAR NOT NULL,
  skan_revenue DECIMAL(28, 7),
  min_revenue DECIMAL(28, 7),
  max_revenue DECIMAL(28, 7),
  currency VARCHAR,
  cumulative BOOLEAN,
  extras JSON,
  source_file VARCHAR NOT NULL,
  source_line BIGINT NOT NULL,
  raw_body VARCHAR,
  PRIMARY KEY (postback_key)
);
COMMENT ON TABLE skan_postbacks IS 'An accepted postback: a trusted key signed it, it is allowed, and it is the first of its kind. In CSV a null is an empty field, an empty text is "", lists are joined by semicolons, and extras is JSON text.';
COMMENT ON COLUMN skan_postbacks.postback_key IS 'The key of the postback, the same in every run: the first 128 bits, in hexadecimal digits, of the SHA-256 of framework, ad network, transaction and window (0 before 4.0), joined by U+2063. It is unique in this table, and joins the tables.';
COMMENT ON COLUMN skan_postbacks.framework IS 'skadnetwork or adattributionkit.';
COMMENT ON COLUMN skan_postbacks.version IS 'Apple''s version: 1.0, 2.0, 2.1, 2.2, 3.0, 4.0. It is 1.0 if the postback has none, and null for AdAttributionKit.';
COMMENT ON COLUMN skan_postbacks.ad_network_id IS 'ad-network-id or ad-network-identifier, exactly as it was sent. Signed.';
COMMENT ON COLUMN skan_postbacks.transaction_id IS 'transaction-id or postback-identifier, exactly as it was sent. Signed.';
COMMENT ON COLUMN skan_postbacks.app_id IS 'The advertised app: app-id or advertised-item-identifier. Signed.';
COMMENT ON COLUMN skan_postbacks.campaign_id IS 'campaign-id, 1 to 100. Signed. Null from 4.0 on and for AdAttributionKit.';
COMMENT ON COLUMN skan_postbacks.source_identifier IS 'source-identifier, two to four digits. Leading zeros count. Signed. Null before 4.0, and if an AdAttributionKit postback has none.';
COMMENT ON COLUMN skan_postbacks.source_app_id IS 'The app that showed the ad: source-app-id or publisher-item-identifier. Signed from 2.0 on. Null if Apple does not tell, and if a forwarder filled in a 0.';
COMMENT ON COLUMN skan_postbacks.source_domain IS 'The website that showed the ad: source-domain, from 4.0 on. Signed. Null if there is none. A domain beside a signed source-app-id is not signed, and is in extras.';
COMMENT ON COLUMN skan_postbacks.redownload IS 'redownload: true if the app was installed before. Signed from 2.0 on. Null for AdAttributionKit, and if a 1.0 postback has no readable value.';
COMMENT ON COLUMN skan_postbacks.conversion_type IS 'conversion-type: download, redownload, or re-engagement (also if Apple wrote reengagement). Signed. Null for SKAdNetwork, and if there is none.';
COMMENT ON COLUMN skan_postbacks.fidelity_type IS 'fidelity-type: 0 for a view-through ad, 1 for a StoreKit-rendered ad. Signed. Null before 2.2 and for AdAttributionKit.';
COMMENT ON COLUMN skan_postbacks.ad_interaction_type IS 'ad-interaction-type: click or view. Not signed. Null for SKAdNetwork, and if there is no readable value.';
COMMENT ON COLUMN skan_postbacks.did_win IS 'did-win: true if the ad network won the attribution. Signed. Null before 3.0, when Apple sent wins only.';
COMMENT ON COLUMN skan_postbacks.postback_sequence_index IS 'The conversion window: 0 for days 0 to 2, 1 for days 3 to 7, 2 for days 8 to 35. Signed. Null before 4.0, which has one window.';
COMMENT ON COLUMN skan_postbacks.conversion_value IS 'The fine conversion value, 0 to 63. Not signed. Null if there is no readable value, which is not the same as 0. Null in 1.0, where the value is in extras.';
COMMENT ON COLUMN skan_postbacks.coarse_conversion_value IS 'low, medium or high. Not signed. Null if there is no readable value, and before 4.0.';
COMMENT ON COLUMN skan_postbacks.country_code IS 'country-code in capital letters: an assigned code of ISO 3166-1, or XK. Not signed. Null if there is no readable value.';
COMMENT ON COLUMN skan_postbacks.marketplace_identifier IS 'marketplace-identifier. Signed. Null for SKAdNetwork, and if there is none.';
COMMENT ON COLUMN skan_postbacks.impression_type IS 'impression-type. Signed. Null for SKAdNetwork, and if there is none.';
COMMENT ON COLUMN skan_postbacks.key_id IS 'The trusted key that verified the signature: Apple''s kid (apple-cas-identifier/0, also for SKAdNetwork from 2.1 on), apple-skadnetwork-p192 before 2.1, or the name that --trust-key gave.';
COMMENT ON COLUMN skan_postbacks.environment IS 'production; development if a development key of Apple signed the postback, or if a signed id is one of Apple''s placeholders for tests (an app or a source app of 0, or the ad network development.adattributionkit); custom if a key of --trust-key signed it.';
COMMENT ON COLUMN skan_postbacks.signature_state IS 'valid; valid_zero_filled if the signature is right after a source-app-id of 0 or an empty source-domain is left out, which a forwarder had filled in; development if a development key of Apple signed it (only with --allow-development).';
COMMENT ON COLUMN skan_postbacks.signature_r IS 'The first 64 bits of the signature''s r, without the zero bytes before it, in base64 for URLs (RFC 4648, section 5) without padding. No two postbacks of Apple have the same one, so a reject that has it carries this signature, in whatever encoding. Null in rows of versions without this column.';
COMMENT ON COLUMN skan_postbacks.coerced_fields IS 'Apple''s names of the fields that were written in another form with the same meaning: a number or a Boolean as a string, a string as a number, 42.0 for 42, a word or a country in another letter case, UK for GB, "" for null, a signature or a JWS in another encoding. Null if there is none. Some of version, campaign-id, source-identifier, app-id, redownload, source-app-id, fidelity-type, did-win, postback-sequence-index, conversion-value, coarse-conversion-value, country-code, attribution-signature, jws-string, ad-interaction-type, advertised-item-identifier, publisher-item-identifier.';
COMMENT ON COLUMN skan_postbacks.tier_flags IS 'Combinations that Apple''s data tiers make impossible, so that somebody edited unsigned fields, and values that could not be read. Null if there is none. Some of fine_and_coarse, fine_in_later_window, source_digits_in_later_window, source_app_in_later_window, source_digits_with_coarse, source_app_with_coarse, lost_in_later_window, lost_with_source_app, lost_with_conversion_value, zero_may_be_null, country_in_later_window, country_with_coarse, lost_with_country, marketplace_in_tier_0, unsigned_source_domain, unreadable_conversion_value, unreadable_coarse_conversion_value, unreadable_ad_interaction_type, unreadable_country_code, unreadable_redownload, unreadable_source_app_id.';
COMMENT ON COLUMN skan_postbacks.channel IS 'The channel through which the postback came, apple_direct or network_forwarded, from the envelope, else from the path or the options of the input. Null if none of them gives it.';
COMMENT ON COLUMN skan_postbacks.forwarder IS 'The name of the forwarder, from the envelope, else from the path or the options of the input. Null if none of them gives it.';
COMMENT ON COLUMN skan_postbacks.remote_address IS 'The network address of the sender, from the envelope. Null unless the option --keep-addresses was given, and if the envelope does not give it.';
COMMENT ON COLUMN skan_postbacks.received_at IS 'The time of receipt. Null if no source gives it.';
COMMENT ON COLUMN skan_postbacks.received_at_source IS 'The source of that time: envelope, option (--received-at or --context), field (the key that --received-at-field names) or file_mtime (the modification time of the input file). Null if received_at is null.';
COMMENT ON COLUMN skan_postbacks.estimated_install_date IS 'The middle of the two following columns. In AdAttributionKit it is the middle of the dates that are possible if the system has not locked the window early, as is usual. Null if either is null.';
COMMENT ON COLUMN skan_postbacks.install_date_earliest IS 'The earliest time of the first launch that the time of receipt, the version, the window and the conversion model allow. Null if received_at is null, and in the environment development, where a test may arrive minutes after the launch.';
COMMENT ON COLUMN skan_postbacks.install_date_latest IS 'The latest possible time of the first launch. It is received_at itself in the environment development. Null if received_at is null.';
COMMENT ON COLUMN skan_postbacks.model_id IS 'The conversion model in force. If decode_status is ambiguous, the models that disagree, the earliest first, such as revenue@2|revenue@3, with none in the place of a part of the time without a model. Null if no model counts.';
COMMENT ON COLUMN skan_postbacks.model_version IS 'The version of the model. Null unless decode_status is decoded or unmapped.';
COMMENT ON COLUMN skan_postbacks.decode_status IS 'decoded; null if the postback has no value; unmapped if the model does not list the value; no_model if the app has no model for that time; ambiguous if the models of the possible install dates disagree; not_won if did_win is false.';
COMMENT ON COLUMN skan_postbacks.skan_revenue IS 'The estimated revenue, in currency. It is 0 if the value means that there was none. Null unless decoded, and if the model has no currency.';
COMMENT ON COLUMN skan_postbacks.min_revenue IS 'The least possible revenue. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_postbacks.max_revenue IS 'The limit that the revenue stays below, or the exact revenue if it equals min_revenue. Null if skan_revenue is null, and if there is no upper limit: a sum with such a row has no upper limit either.';
COMMENT ON COLUMN skan_postbacks.currency IS 'The ISO 4217 code of the amounts. Amounts of two currencies are never added. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_postbacks.cumulative IS 'True if the values of this window include the earlier windows, as the model says: then revenue is never added to that of earlier windows of the same users. Null unless decode_status is decoded.';
COMMENT ON COLUMN skan_postbacks.extras IS 'All other keys of the postback, as they were sent, and the parameters of the HTTP query as query.NAME. Nothing in it is signed, except what is under jws-string. Null if there is none.';
COMMENT ON COLUMN skan_postbacks.source_file IS 'The input as it was named, - for standard input.';
COMMENT ON COLUMN skan_postbacks.source_line IS 'The line of the decompressed input on which the record begins, from 1.';
COMMENT ON COLUMN skan_postbacks.raw_body IS 'The postback as it was received, byte for byte; of an envelope its body, in which a receiver has put spaces in place of line ends. Null without --keep-raw.';

CREATE TABLE skan_events (
  postback_key VARCHAR NOT NULL,
  event_name VARCHAR NOT NULL,
  postback_sequence_index BIGINT,
  event_count DECIMAL(20, 1) NOT NULL,
  min_event_count BIGINT NOT NULL,
  max_event_count BIGINT,
  skan_revenue DECIMAL(28, 7),
  min_revenue DECIMAL(28, 7),
  max_revenue DECIMAL(28, 7),
  currency VARCHAR,
  cumulative BOOLEAN NOT NULL,
  revenue_kind VARCHAR,
  model_id VARCHAR NOT NULL,
  model_version BIGINT NOT NULL
);
COMMENT ON TABLE skan_events IS 'An event that an accepted postback decodes to. A postback whose decode_status is decoded has one row for each event of its value, in the order of the model; other postbacks have none. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_events.postback_key IS 'The postback, a row of skan_postbacks.';
COMMENT ON COLUMN skan_events.event_name IS 'The name of the event in the model, at most 256 bytes.';
COMMENT ON COLUMN skan_events.postback_sequence_index IS 'The conversion window of the postback, 0 to 2. Null before 4.0.';
COMMENT ON COLUMN skan_events.event_count IS 'The estimated number of times: the middle of the two following columns, which may be a half, or min_event_count if there is no upper limit.';
COMMENT ON COLUMN skan_events.min_event_count IS 'The least possible number of times.';
COMMENT ON COLUMN skan_events.max_event_count IS 'The greatest possible number of times. Null if there is no upper limit.';
COMMENT ON COLUMN skan_events.skan_revenue IS 'The estimated revenue of all these times together, in currency. Null if the event has no revenue.';
COMMENT ON COLUMN skan_events.min_revenue IS 'The least possible revenue. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_events.max_revenue IS 'The limit that the revenue stays below, or the exact revenue if it equals min_revenue. Null if skan_revenue is null, and if there is no upper limit: a sum with such a row has no upper limit either.';
COMMENT ON COLUMN skan_events.currency IS 'The ISO 4217 code of the amounts. Amounts of two currencies are never added. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_events.cumulative IS 'True if the values of this window include the earlier windows, as the model says: then counts and revenue are never added to those of earlier windows of the same users.';
COMMENT ON COLUMN skan_events.revenue_kind IS 'The origin of the revenue: iap for in-app purchases, admon for ads in the app, all for both. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_events.model_id IS 'The conversion model that says so.';
COMMENT ON COLUMN skan_events.model_version IS 'The version of the model.';

CREATE TABLE skan_rejects (
  stage VARCHAR NOT NULL,
  reject_code VARCHAR NOT NULL,
  reject_detail VARCHAR NOT NULL,
  field VARCHAR,
  expected VARCHAR,
  found VARCHAR,
  ad_network_id VARCHAR,
  transaction_id VARCHAR,
  app_id VARCHAR,
  version VARCHAR,
  first_seen_postback_key VARCHAR,
  conflicting_fields JSON,
  channel VARCHAR,
  forwarder VARCHAR,
  remote_address VARCHAR,
  received_at TIMESTAMPTZ,
  received_at_source VARCHAR,
  source_file VARCHAR NOT NULL,
  source_line BIGINT NOT NULL,
  query VARCHAR,
  raw_sha256 VARCHAR NOT NULL,
  raw_body VARCHAR,
  raw_body_base64 VARCHAR
);
COMMENT ON TABLE skan_rejects IS 'A record of the input that was rejected, with the reason and with its bytes. ad_network_id, transaction_id, app_id and version are unchecked texts here. In CSV a null is an empty field, an empty text is "", and conflicting_fields is JSON text.';
COMMENT ON COLUMN skan_rejects.stage IS 'The stage that rejected the record: parse if the bytes are not a JSON object, schema if the object is not a postback of the version that it names, signature if no trusted key signed it, policy if it is not allowed here, dedup if it came before.';
COMMENT ON COLUMN skan_rejects.reject_code IS 'The reason, a stable code that belongs to one stage. One of not_json, not_an_object, too_large, too_deep, invalid_utf8, duplicate_key, truncated_input, unknown_version, unsupported_version, missing_field, wrong_type, out_of_range, forbidden_character, malformed_jws, malformed_signature, signature_invalid, unknown_key, development_key, app_not_allowed, network_not_allowed, duplicate_identical, duplicate_conflict, duplicate_transaction, duplicate_forgotten.';
COMMENT ON COLUMN skan_rejects.reject_detail IS 'The reason in words. The words may change.';
COMMENT ON COLUMN skan_rejects.field IS 'The key that is wrong, at most 200 bytes. For duplicate_conflict it is the first of conflicting_fields. Null if it is not a single key.';
COMMENT ON COLUMN skan_rejects.expected IS 'The expected content, in words. For duplicate_conflict it is the value of the first copy. Null if field is null, and if the first copy has no value.';
COMMENT ON COLUMN skan_rejects.found IS 'The content that is there, at most 200 bytes. Null if nothing is there.';
COMMENT ON COLUMN skan_rejects.ad_network_id IS 'The ad network that the record names, unchecked. Null if it names none.';
COMMENT ON COLUMN skan_rejects.transaction_id IS 'The transaction that the record names, unchecked. Null if it names none.';
COMMENT ON COLUMN skan_rejects.app_id IS 'The app that the record names, as text, unchecked. Null if it names none.';
COMMENT ON COLUMN skan_rejects.version IS 'The version that the record names, as text, unchecked. Null if it names none.';
COMMENT ON COLUMN skan_rejects.first_seen_postback_key IS 'The row of skan_postbacks that this record duplicates. Null unless stage is dedup.';
COMMENT ON COLUMN skan_rejects.conflicting_fields IS 'The unsigned fields that differ from the first copy, each with field, first and later. Null unless the code is duplicate_conflict.';
COMMENT ON COLUMN skan_rejects.channel IS 'The channel through which the postback came, apple_direct or network_forwarded, from the envelope, else from the path or the options of the input. Null if none of them gives it.';
COMMENT ON COLUMN skan_rejects.forwarder IS 'The name of the forwarder, from the envelope, else from the path or the options of the input. Null if none of them gives it.';
COMMENT ON COLUMN skan_rejects.remote_address IS 'The network address of the sender, from the envelope. Null unless the option --keep-addresses was given, and if the envelope does not give it.';
COMMENT ON COLUMN skan_rejects.received_at IS 'The time of receipt. Null if no source gives it.';
COMMENT ON COLUMN skan_rejects.received_at_source IS 'The source of that time: envelope, option (--received-at or --context), field (the key that --received-at-field names) or file_mtime (the modification time of the input file). Null if received_at is null.';
COMMENT ON COLUMN skan_rejects.source_file IS 'The input as it was named, - for standard input.';
COMMENT ON COLUMN skan_rejects.source_line IS 'The line of the decompressed input on which the record begins, from 1.';
COMMENT ON COLUMN skan_rejects.query IS 'The query of the request, from the envelope, without parameters such as ip unless --keep-addresses was given. Null if the envelope does not give it.';
COMMENT ON COLUMN skan_rejects.raw_sha256 IS 'The SHA-256 of the bytes in raw_body. For too_large it is that of all bytes of the record, of which not all are kept.';
COMMENT ON COLUMN skan_rejects.raw_body IS 'The bytes of the postback, unchanged and without the envelope around it. If the record could not be read, its bytes without the value of remote_address, and without such parameters in its query. Null if they are not UTF-8 or contain a NUL.';
COMMENT ON COLUMN skan_rejects.raw_body_base64 IS 'The bytes in base64 if raw_body cannot hold them.';

CREATE TABLE skan_enriched (
  postback_key VARCHAR NOT NULL,
  network_name VARCHAR NOT NULL,
  network_status VARCHAR NOT NULL,
  app_name VARCHAR,
  source_app_name VARCHAR,
  campaign_id VARCHAR,
  campaign_name VARCHAR,
  adgroup_id VARCHAR,
  adgroup_name VARCHAR,
  creative_id VARCHAR,
  creative_name VARCHAR,
  placement VARCHAR,
  geo VARCHAR,
  country VARCHAR,
  country_source VARCHAR,
  enrich_status VARCHAR NOT NULL,
  enrich_source VARCHAR,
  enrich_conflict BOOLEAN NOT NULL,
  candidate_count BIGINT NOT NULL,
  environment VARCHAR NOT NULL,
  forwarded_at TIMESTAMPTZ,
  PRIMARY KEY (postback_key)
);
COMMENT ON TABLE skan_enriched IS 'An accepted postback with the names and the campaign of lookup tables. There is one row for each row of skan_postbacks, in the same order. The country, the ad interaction type and the time of receipt are those that skan_settled decided, if it has the postback. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_enriched.postback_key IS 'The postback, a row of skan_postbacks.';
COMMENT ON COLUMN skan_enriched.network_name IS 'The name of the ad network. The id in lower case if network_status is unmapped, and (development) if it is development.';
COMMENT ON COLUMN skan_enriched.network_status IS 'mapped if networks has the id at the time of receipt; unmapped if not; development for Apple''s tests, for which nothing is looked up.';
COMMENT ON COLUMN skan_enriched.app_name IS 'The name of the advertised app. Null if apps does not have it.';
COMMENT ON COLUMN skan_enriched.source_app_name IS 'The name of the app or the website that showed the ad. Null if source_apps does not have it, and if Apple does not tell which it was.';
COMMENT ON COLUMN skan_enriched.campaign_id IS 'The id of the campaign at the ad network. Null if it is not known.';
COMMENT ON COLUMN skan_enriched.campaign_name IS 'The name of the campaign. That of a forwarder if campaigns has the id without a name. Null if it is not known, and if it has changed in the time in question.';
COMMENT ON COLUMN skan_enriched.adgroup_id IS 'The id of the ad group.';
COMMENT ON COLUMN skan_enriched.adgroup_name IS 'The name of the ad group.';
COMMENT ON COLUMN skan_enriched.creative_id IS 'The id of the creative.';
COMMENT ON COLUMN skan_enriched.creative_name IS 'The name of the creative.';
COMMENT ON COLUMN skan_enriched.placement IS 'The placement.';
COMMENT ON COLUMN skan_enriched.geo IS 'The region, as campaigns has it.';
COMMENT ON COLUMN skan_enriched.country IS 'The country, ISO 3166-1 alpha-2. It never comes from a name or an address.';
COMMENT ON COLUMN skan_enriched.country_source IS 'postback if the copy that counts has the country; targeting if it is the only country that all rows of campaigns that fit target. Null if country is null.';
COMMENT ON COLUMN skan_enriched.enrich_status IS 'exact if one row of campaigns fits; agreed if several fit and agree on the campaign; ambiguous if they do not agree on it; outside_validity if rows with the identifier are not valid at the time of the impression; unmapped if no row has the identifier.';
COMMENT ON COLUMN skan_enriched.enrich_source IS 'The origin of the campaign, the ad group and the creative: table for campaigns, inline for the keys that a forwarder added. both if campaigns has a value, and the forwarder''s keys agree with it or add one below it. Null if there are none.';
COMMENT ON COLUMN skan_enriched.enrich_conflict IS 'True if a forwarder names another campaign, ad group or creative than campaigns. The row has the values of campaigns.';
COMMENT ON COLUMN skan_enriched.candidate_count IS 'The number of rows of campaigns that fit.';
COMMENT ON COLUMN skan_enriched.environment IS 'As in skan_postbacks, or forwarder_test if a forwarder marks the postback as a test. Reports leave tests out. One of production, development, custom, forwarder_test.';
COMMENT ON COLUMN skan_enriched.forwarded_at IS 'The time at which a forwarder handed the postback on, as it says itself. Null if it does not say so, if the time is before September 2001, and if it is more than a day after the receipt.';

CREATE TABLE skan_settled (
  postback_key VARCHAR NOT NULL,
  copies_direct BIGINT NOT NULL,
  copies_forwarded BIGINT NOT NULL,
  forwarders VARCHAR,
  first_channel VARCHAR,
  direct_received_at TIMESTAMPTZ,
  forwarded_received_at TIMESTAMPTZ,
  lag_s BIGINT,
  conversion_value_state VARCHAR,
  conversion_value_difference VARCHAR,
  conversion_value_direct VARCHAR,
  conversion_value_forwarded VARCHAR,
  coarse_conversion_value_state VARCHAR,
  coarse_conversion_value_difference VARCHAR,
  coarse_conversion_value_direct VARCHAR,
  coarse_conversion_value_forwarded VARCHAR,
  country_code_state VARCHAR,
  country_code_difference VARCHAR,
  country_code_direct VARCHAR,
  country_code_forwarded VARCHAR,
  ad_interaction_type_state VARCHAR,
  ad_interaction_type_difference VARCHAR,
  ad_interaction_type_direct VARCHAR,
  ad_interaction_type_forwarded VARCHAR,
  redownload_state VARCHAR,
  redownload_difference VARCHAR,
  redownload_direct VARCHAR,
  redownload_forwarded VARCHAR,
  source_app_id_state VARCHAR,
  source_app_id_difference VARCHAR,
  source_app_id_direct VARCHAR,
  source_app_id_forwarded VARCHAR,
  trust_level BIGINT NOT NULL,
  effective_decided_by VARCHAR,
  effective_received_at TIMESTAMPTZ,
  effective_conversion_value BIGINT,
  effective_coarse_conversion_value VARCHAR,
  effective_country_code VARCHAR,
  effective_ad_interaction_type VARCHAR,
  effective_redownload BOOLEAN,
  effective_source_app_id BIGINT,
  effective_zero_may_be_null BOOLEAN,
  effective_channel VARCHAR,
  effective_forwarder VARCHAR,
  effective_decode_status VARCHAR NOT NULL,
  effective_model_id VARCHAR,
  effective_model_version BIGINT,
  effective_revenue DECIMAL(28, 7),
  effective_min_revenue DECIMAL(28, 7),
  effective_max_revenue DECIMAL(28, 7),
  effective_currency VARCHAR,
  effective_revenue_kind VARCHAR,
  effective_cumulative BOOLEAN,
  effective_estimated_install_date TIMESTAMPTZ,
  effective_install_date_earliest TIMESTAMPTZ,
  effective_install_date_latest TIMESTAMPTZ,
  PRIMARY KEY (postback_key)
);
COMMENT ON TABLE skan_settled IS 'All copies of an accepted postback together: the agreement of their unsigned fields, and the values that count, with what they decode to. There is one row for each row of skan_postbacks, in the same order. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_settled.postback_key IS 'The postback, a row of skan_postbacks.';
COMMENT ON COLUMN skan_settled.copies_direct IS 'The number of copies that came as a device''s own.';
COMMENT ON COLUMN skan_settled.copies_forwarded IS 'The number of other copies: those of forwarders, and those whose channel is not known.';
COMMENT ON COLUMN skan_settled.forwarders IS 'The names of the forwarders, sorted and joined by semicolons. Null if no copy names one.';
COMMENT ON COLUMN skan_settled.first_channel IS 'The channel of the copy that was received first. Null if it is not known. One of apple_direct, network_forwarded.';
COMMENT ON COLUMN skan_settled.direct_received_at IS 'The time of receipt of the first copy that came as a device''s own. Null if there is none, or no time.';
COMMENT ON COLUMN skan_settled.forwarded_received_at IS 'The time of receipt of the first other copy. Null if there is none, or no time.';
COMMENT ON COLUMN skan_settled.lag_s IS 'The whole seconds from direct_received_at to forwarded_received_at; negative if the forwarder was faster.';
COMMENT ON COLUMN skan_settled.conversion_value_state IS 'The agreement of the copies in conversion_value: confirmed if a device and a forwarder have the same value; conflict if copies differ; direct_only or forwarded_only if there are such copies alone; absent_both if a device and a forwarder have no value; unreadable if a copy''s value cannot be read and the others do not differ. Null if the postback cannot have the field, or Apple signs it there.';
COMMENT ON COLUMN skan_settled.conversion_value_difference IS 'The difference in conversion_value: direct_conflict if devices'' own copies differ. Otherwise, if there is one, that of the first other copy that differs from it: changed, dropped, added or zero_for_null. Without a device''s own copy self_conflict if a forwarder that is named contradicts itself, and forwarders_differ if others do, such as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has zero_for_null without a conflict.';
COMMENT ON COLUMN skan_settled.conversion_value_direct IS 'The different values of conversion_value in devices'' own copies, each once, in the order of receipt, joined by semicolons; absent for none. Null unless there is a conflict, and if there is no such copy.';
COMMENT ON COLUMN skan_settled.conversion_value_forwarded IS 'The different values of conversion_value in the other copies, in the same form.';
COMMENT ON COLUMN skan_settled.coarse_conversion_value_state IS 'The agreement of the copies in coarse_conversion_value: confirmed if a device and a forwarder have the same value; conflict if copies differ; direct_only or forwarded_only if there are such copies alone; absent_both if a device and a forwarder have no value; unreadable if a copy''s value cannot be read and the others do not differ. Null if the postback cannot have the field, or Apple signs it there.';
COMMENT ON COLUMN skan_settled.coarse_conversion_value_difference IS 'The difference in coarse_conversion_value: direct_conflict if devices'' own copies differ. Otherwise, if there is one, that of the first other copy that differs from it: changed, dropped, added or zero_for_null. Without a device''s own copy self_conflict if a forwarder that is named contradicts itself, and forwarders_differ if others do, such as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has zero_for_null without a conflict.';
COMMENT ON COLUMN skan_settled.coarse_conversion_value_direct IS 'The different values of coarse_conversion_value in devices'' own copies, each once, in the order of receipt, joined by semicolons; absent for none. Null unless there is a conflict, and if there is no such copy.';
COMMENT ON COLUMN skan_settled.coarse_conversion_value_forwarded IS 'The different values of coarse_conversion_value in the other copies, in the same form.';
COMMENT ON COLUMN skan_settled.country_code_state IS 'The agreement of the copies in country_code: confirmed if a device and a forwarder have the same value; conflict if copies differ; direct_only or forwarded_only if there are such copies alone; absent_both if a device and a forwarder have no value; unreadable if a copy''s value cannot be read and the others do not differ. Null if the postback cannot have the field, or Apple signs it there.';
COMMENT ON COLUMN skan_settled.country_code_difference IS 'The difference in country_code: direct_conflict if devices'' own copies differ. Otherwise, if there is one, that of the first other copy that differs from it: changed, dropped, added or zero_for_null. Without a device''s own copy self_conflict if a forwarder that is named contradicts itself, and forwarders_differ if others do, such as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has zero_for_null without a conflict.';
COMMENT ON COLUMN skan_settled.country_code_direct IS 'The different values of country_code in devices'' own copies, each once, in the order of receipt, joined by semicolons; absent for none. Null unless there is a conflict, and if there is no such copy.';
COMMENT ON COLUMN skan_settled.country_code_forwarded IS 'The different values of country_code in the other copies, in the same form.';
COMMENT ON COLUMN skan_settled.ad_interaction_type_state IS 'The agreement of the copies in ad_interaction_type: confirmed if a device and a forwarder have the same value; conflict if copies differ; direct_only or forwarded_only if there are such copies alone; absent_both if a device and a forwarder have no value; unreadable if a copy''s value cannot be read and the others do not differ. Null if the postback cannot have the field, or Apple signs it there.';
COMMENT ON COLUMN skan_settled.ad_interaction_type_difference IS 'The difference in ad_interaction_type: direct_conflict if devices'' own copies differ. Otherwise, if there is one, that of the first other copy that differs from it: changed, dropped, added or zero_for_null. Without a device''s own copy self_conflict if a forwarder that is named contradicts itself, and forwarders_differ if others do, such as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has zero_for_null without a conflict.';
COMMENT ON COLUMN skan_settled.ad_interaction_type_direct IS 'The different values of ad_interaction_type in devices'' own copies, each once, in the order of receipt, joined by semicolons; absent for none. Null unless there is a conflict, and if there is no such copy.';
COMMENT ON COLUMN skan_settled.ad_interaction_type_forwarded IS 'The different values of ad_interaction_type in the other copies, in the same form.';
COMMENT ON COLUMN skan_settled.redownload_state IS 'The agreement of the copies in redownload: confirmed if a device and a forwarder have the same value; conflict if copies differ; direct_only or forwarded_only if there are such copies alone; absent_both if a device and a forwarder have no value; unreadable if a copy''s value cannot be read and the others do not differ. Null if the postback cannot have the field, or Apple signs it there.';
COMMENT ON COLUMN skan_settled.redownload_difference IS 'The difference in redownload: direct_conflict if devices'' own copies differ. Otherwise, if there is one, that of the first other copy that differs from it: changed, dropped, added or zero_for_null. Without a device''s own copy self_conflict if a forwarder that is named contradicts itself, and forwarders_differ if others do, such as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has zero_for_null without a conflict.';
COMMENT ON COLUMN skan_settled.redownload_direct IS 'The different values of redownload in devices'' own copies, each once, in the order of receipt, joined by semicolons; absent for none. Null unless there is a conflict, and if there is no such copy.';
COMMENT ON COLUMN skan_settled.redownload_forwarded IS 'The different values of redownload in the other copies, in the same form.';
COMMENT ON COLUMN skan_settled.source_app_id_state IS 'The agreement of the copies in source_app_id: confirmed if a device and a forwarder have the same value; conflict if copies differ; direct_only or forwarded_only if there are such copies alone; absent_both if a device and a forwarder have no value; unreadable if a copy''s value cannot be read and the others do not differ. Null if the postback cannot have the field, or Apple signs it there.';
COMMENT ON COLUMN skan_settled.source_app_id_difference IS 'The difference in source_app_id: direct_conflict if devices'' own copies differ. Otherwise, if there is one, that of the first other copy that differs from it: changed, dropped, added or zero_for_null. Without a device''s own copy self_conflict if a forwarder that is named contradicts itself, and forwarders_differ if others do, such as copies without the name of a forwarder. Null if there is none. A network that writes a missing value as 0 has zero_for_null without a conflict.';
COMMENT ON COLUMN skan_settled.source_app_id_direct IS 'The different values of source_app_id in devices'' own copies, each once, in the order of receipt, joined by semicolons; absent for none. Null unless there is a conflict, and if there is no such copy.';
COMMENT ON COLUMN skan_settled.source_app_id_forwarded IS 'The different values of source_app_id in the other copies, in the same form.';
COMMENT ON COLUMN skan_settled.trust_level IS 'The certainty of the unsigned values: 4 if devices and forwarders agree; 3 if there are devices'' own copies alone; 2 if there are copies of forwarders alone, of which one is named; 1 if none is; 0 if any field is in conflict. It is that of the less certain of both conversion values, and in 1.0 of the other fields. Copies whose value cannot be read do not count; it is 1 if none can be read.';
COMMENT ON COLUMN skan_settled.effective_decided_by IS 'The channel of the copy that decides: direct or forwarded. Null if devices'' own copies contradict each other, so that no value counts.';
COMMENT ON COLUMN skan_settled.effective_received_at IS 'The time of receipt of the copy that decides. Null if none decides, because devices'' own copies contradict each other, and if it is not known. Such a postback is counted on the day of direct_received_at.';
COMMENT ON COLUMN skan_settled.effective_conversion_value IS 'The fine conversion value that counts. Null if there is none.';
COMMENT ON COLUMN skan_settled.effective_coarse_conversion_value IS 'The coarse conversion value that counts. Null if there is none. One of low, medium, high.';
COMMENT ON COLUMN skan_settled.effective_country_code IS 'The country that counts. Null if there is none.';
COMMENT ON COLUMN skan_settled.effective_ad_interaction_type IS 'The ad interaction type that counts, of AdAttributionKit. Null if there is none. One of click, view.';
COMMENT ON COLUMN skan_settled.effective_redownload IS 'The value of redownload that counts, in version 1.0. Null in others, which sign it.';
COMMENT ON COLUMN skan_settled.effective_source_app_id IS 'The source app that counts, in version 1.0. Null in others, which sign it, and if there is none.';
COMMENT ON COLUMN skan_settled.effective_zero_may_be_null IS 'True if effective_conversion_value is a 0 of a copy whose other empty fields were filled with zeros, so that it may have been missing. Null without a fine value.';
COMMENT ON COLUMN skan_settled.effective_channel IS 'The channel of the copy that decides. Null if none decides, and if it is not known. One of apple_direct, network_forwarded.';
COMMENT ON COLUMN skan_settled.effective_forwarder IS 'The name of the forwarder of the copy that decides. Null if there is none.';
COMMENT ON COLUMN skan_settled.effective_decode_status IS 'As decode_status of skan_postbacks, for the values that count; conflict if devices'' own copies contradict each other, also of a postback that did not win. One of decoded, null, unmapped, no_model, ambiguous, not_won, conflict.';
COMMENT ON COLUMN skan_settled.effective_model_id IS 'The conversion model, as model_id of skan_postbacks, for the values that count.';
COMMENT ON COLUMN skan_settled.effective_model_version IS 'The version of the model. Null unless effective_decode_status is decoded or unmapped.';
COMMENT ON COLUMN skan_settled.effective_revenue IS 'The estimated revenue, in effective_currency. Null unless decoded, and if the model has no currency.';
COMMENT ON COLUMN skan_settled.effective_min_revenue IS 'The least possible revenue. Null if effective_revenue is null.';
COMMENT ON COLUMN skan_settled.effective_max_revenue IS 'The limit that the revenue stays below, or the exact revenue if it equals effective_min_revenue. Null if effective_revenue is null, and if there is no upper limit.';
COMMENT ON COLUMN skan_settled.effective_currency IS 'The ISO 4217 code of the amounts. Null if effective_revenue is null.';
COMMENT ON COLUMN skan_settled.effective_revenue_kind IS 'As revenue_kind of skan_events. Null if effective_revenue is null. One of all, iap, admon.';
COMMENT ON COLUMN skan_settled.effective_cumulative IS 'As cumulative of skan_postbacks, for the model of this row. Null unless effective_decode_status is decoded.';
COMMENT ON COLUMN skan_settled.effective_estimated_install_date IS 'As estimated_install_date of skan_postbacks, for effective_received_at, the value that counts and the models. If no copy decides, for the first device''s own copy that counts.';
COMMENT ON COLUMN skan_settled.effective_install_date_earliest IS 'The earliest possible install date, in the same way. Null if it has no limit.';
COMMENT ON COLUMN skan_settled.effective_install_date_latest IS 'The latest possible install date, in the same way. Null if it has no limit.';

CREATE TABLE skan_settled_events (
  postback_key VARCHAR NOT NULL,
  event_name VARCHAR NOT NULL,
  postback_sequence_index BIGINT,
  event_count DECIMAL(20, 1) NOT NULL,
  min_event_count BIGINT NOT NULL,
  max_event_count BIGINT,
  skan_revenue DECIMAL(28, 7),
  min_revenue DECIMAL(28, 7),
  max_revenue DECIMAL(28, 7),
  currency VARCHAR,
  cumulative BOOLEAN NOT NULL,
  revenue_kind VARCHAR,
  model_id VARCHAR NOT NULL,
  model_version BIGINT NOT NULL
);
COMMENT ON TABLE skan_settled_events IS 'An event that the effective values of an accepted postback decode to. A postback whose effective_decode_status in skan_settled is decoded has one row for each event, in the order of the model; other postbacks have none. The columns are those of skan_events. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_settled_events.postback_key IS 'The postback, a row of skan_postbacks.';
COMMENT ON COLUMN skan_settled_events.event_name IS 'The name of the event in the model, at most 256 bytes.';
COMMENT ON COLUMN skan_settled_events.postback_sequence_index IS 'The conversion window of the postback, 0 to 2. Null before 4.0.';
COMMENT ON COLUMN skan_settled_events.event_count IS 'The estimated number of times: the middle of the two following columns, which may be a half, or min_event_count if there is no upper limit.';
COMMENT ON COLUMN skan_settled_events.min_event_count IS 'The least possible number of times.';
COMMENT ON COLUMN skan_settled_events.max_event_count IS 'The greatest possible number of times. Null if there is no upper limit.';
COMMENT ON COLUMN skan_settled_events.skan_revenue IS 'The estimated revenue of all these times together, in currency. Null if the event has no revenue.';
COMMENT ON COLUMN skan_settled_events.min_revenue IS 'The least possible revenue. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_settled_events.max_revenue IS 'The limit that the revenue stays below, or the exact revenue if it equals min_revenue. Null if skan_revenue is null, and if there is no upper limit: a sum with such a row has no upper limit either.';
COMMENT ON COLUMN skan_settled_events.currency IS 'The ISO 4217 code of the amounts. Amounts of two currencies are never added. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_settled_events.cumulative IS 'True if the values of this window include the earlier windows, as the model says: then counts and revenue are never added to those of earlier windows of the same users.';
COMMENT ON COLUMN skan_settled_events.revenue_kind IS 'The origin of the revenue: iap for in-app purchases, admon for ads in the app, all for both. Null if skan_revenue is null.';
COMMENT ON COLUMN skan_settled_events.model_id IS 'The conversion model that says so.';
COMMENT ON COLUMN skan_settled_events.model_version IS 'The version of the model.';

CREATE TABLE skan_daily (
  date_type VARCHAR NOT NULL,
  date DATE,
  postback_sequence_index BIGINT NOT NULL,
  dimensions VARCHAR NOT NULL,
  app_id BIGINT,
  app_name VARCHAR,
  network_name VARCHAR,
  network_status VARCHAR,
  campaign_id VARCHAR,
  campaign_name VARCHAR,
  adgroup_id VARCHAR,
  adgroup_name VARCHAR,
  creative_id VARCHAR,
  creative_name VARCHAR,
  source_app_id BIGINT,
  source_app_name VARCHAR,
  country VARCHAR,
  framework VARCHAR,
  version VARCHAR,
  environment VARCHAR,
  channel VARCHAR,
  forwarder VARCHAR,
  trust_level BIGINT,
  model_id VARCHAR,
  model_version BIGINT,
  conversion_type VARCHAR,
  fidelity_type BIGINT,
  ad_interaction_type VARCHAR,
  marketplace_identifier VARCHAR,
  source_identifier VARCHAR,
  source_domain VARCHAR,
  redownload BOOLEAN,
  postbacks BIGINT NOT NULL,
  postbacks_won BIGINT NOT NULL,
  installs BIGINT,
  redownloads BIGINT,
  reengagements BIGINT,
  conversions BIGINT,
  installs_click BIGINT,
  installs_view BIGINT,
  installs_interaction_unknown BIGINT,
  assists BIGINT NOT NULL,
  web BIGINT NOT NULL,
  fine_values BIGINT NOT NULL,
  coarse_low BIGINT NOT NULL,
  coarse_medium BIGINT NOT NULL,
  coarse_high BIGINT NOT NULL,
  nulls BIGINT NOT NULL,
  no_value_possible BIGINT NOT NULL,
  ambiguous_zeros BIGINT NOT NULL,
  values BIGINT NOT NULL,
  null_rate DECIMAL(35, 6),
  null_rate_low DECIMAL(35, 6),
  null_rate_high DECIMAL(35, 6),
  cv_zero BIGINT NOT NULL,
  cv_positive BIGINT NOT NULL,
  cv_sum BIGINT NOT NULL,
  decoded BIGINT NOT NULL,
  unmapped BIGINT NOT NULL,
  no_model BIGINT NOT NULL,
  ambiguous BIGINT NOT NULL,
  undecoded BIGINT NOT NULL,
  revenue DECIMAL(36, 7),
  revenue_min DECIMAL(36, 7),
  revenue_max DECIMAL(36, 7),
  currency VARCHAR,
  unconverted_rows BIGINT NOT NULL,
  revenue_max_open BIGINT NOT NULL,
  revenue_max_closed DECIMAL(36, 7),
  revenue_iap DECIMAL(36, 7),
  revenue_admon DECIMAL(36, 7),
  revenue_all DECIMAL(36, 7),
  revenue_by_currency JSON,
  conflicts BIGINT,
  direct_confirmed BIGINT,
  confirmed_revenue DECIMAL(36, 7),
  value_suspicions VARCHAR,
  modelled_revenue DECIMAL(35, 6),
  modelled_revenue_low DECIMAL(35, 6),
  modelled_revenue_high DECIMAL(35, 6),
  modelled_status VARCHAR,
  cost DECIMAL(36, 7),
  cost_currency VARCHAR,
  cost_by_currency JSON,
  cost_level VARCHAR,
  impressions BIGINT,
  clicks BIGINT,
  network_installs BIGINT,
  ecpi DECIMAL(35, 6),
  roas DECIMAL(35, 6),
  roas_min DECIMAL(35, 6),
  roas_max DECIMAL(35, 6),
  roas_max_closed DECIMAL(35, 6),
  roas_scaled DECIMAL(35, 6),
  roas_scaled_conversions DECIMAL(35, 6),
  rpu DECIMAL(35, 6),
  roi DECIMAL(35, 6),
  revenue_all_windows DECIMAL(36, 7),
  revenue_basis VARCHAR,
  as_of TIMESTAMPTZ,
  status VARCHAR,
  expected_share DECIMAL(35, 6)
);
COMMENT ON TABLE skan_daily IS 'The sums over the accepted postbacks of a day, a conversion window and a value of each dimension. All counts and amounts are additive: the sum over a dimension is the value without it. Each postback is in one row of the date_type received and in one of install; rows of both are never added. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_daily.date_type IS 'received for the day of receipt; install for the day of the estimated install date, which is the day of the conversion for re-engagements.';
COMMENT ON COLUMN skan_daily.date IS 'The day in UTC. Null if the time of receipt, or the install date, is not known.';
COMMENT ON COLUMN skan_daily.postback_sequence_index IS 'The conversion window, 0 before 4.0.';
COMMENT ON COLUMN skan_daily.dimensions IS 'The dimensions that the rows are grouped by, joined by semicolons. The columns of other dimensions are null.';
COMMENT ON COLUMN skan_daily.app_id IS 'The advertised app.';
COMMENT ON COLUMN skan_daily.app_name IS 'The name of the advertised app. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily.network_name IS 'The name of the ad network, or its id in lower case if the lookup tables have no name.';
COMMENT ON COLUMN skan_daily.network_status IS 'The origin of the network''s name, as in skan_enriched. Null if it differs between the postbacks. One of mapped, unmapped, development.';
COMMENT ON COLUMN skan_daily.campaign_id IS 'The id of the campaign at the ad network. Null if it is not known.';
COMMENT ON COLUMN skan_daily.campaign_name IS 'The name of the campaign. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily.adgroup_id IS 'The id of the ad group.';
COMMENT ON COLUMN skan_daily.adgroup_name IS 'The name of the ad group. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily.creative_id IS 'The id of the creative.';
COMMENT ON COLUMN skan_daily.creative_name IS 'The name of the creative. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily.source_app_id IS 'The app that showed the ad. Null if Apple does not tell.';
COMMENT ON COLUMN skan_daily.source_app_name IS 'The name of the app or the website that showed the ad. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily.country IS 'The country, as in skan_enriched.';
COMMENT ON COLUMN skan_daily.framework IS 'skadnetwork or adattributionkit.';
COMMENT ON COLUMN skan_daily.version IS 'The version of SKAdNetwork.';
COMMENT ON COLUMN skan_daily.environment IS 'The environment, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily.channel IS 'The channel through which the copy that counts came.';
COMMENT ON COLUMN skan_daily.forwarder IS 'The name of the forwarder of the copy that counts.';
COMMENT ON COLUMN skan_daily.trust_level IS 'The trust level, as in skan_settled. Null without that table.';
COMMENT ON COLUMN skan_daily.model_id IS 'The conversion model, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily.model_version IS 'The version of the model.';
COMMENT ON COLUMN skan_daily.conversion_type IS 'conversion-type of AdAttributionKit.';
COMMENT ON COLUMN skan_daily.fidelity_type IS 'fidelity-type of SKAdNetwork: 0 for a view, 1 for a click.';
COMMENT ON COLUMN skan_daily.ad_interaction_type IS 'ad-interaction-type of AdAttributionKit: click or view.';
COMMENT ON COLUMN skan_daily.marketplace_identifier IS 'marketplace-identifier of AdAttributionKit.';
COMMENT ON COLUMN skan_daily.source_identifier IS 'source-identifier, with as many digits as the postback has.';
COMMENT ON COLUMN skan_daily.source_domain IS 'The website that showed the ad.';
COMMENT ON COLUMN skan_daily.redownload IS 'redownload of SKAdNetwork. Null for AdAttributionKit, see conversion_type.';
COMMENT ON COLUMN skan_daily.postbacks IS 'The number of postbacks.';
COMMENT ON COLUMN skan_daily.postbacks_won IS 'The number of postbacks that won the attribution: did_win is not false.';
COMMENT ON COLUMN skan_daily.installs IS 'The number of winning postbacks of new installs. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.redownloads IS 'The number of winning postbacks of apps that were installed before. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.reengagements IS 'The number of winning postbacks of re-engagements. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.conversions IS 'The sum of installs, redownloads and reengagements. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.installs_click IS 'The number of installs after a click. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.installs_view IS 'The number of installs after a view. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.installs_interaction_unknown IS 'The number of installs for which neither is known, such as all before 2.2. Null in the windows 1 and 2, which are of the same users.';
COMMENT ON COLUMN skan_daily.assists IS 'The number of postbacks that lost the attribution: did_win is false.';
COMMENT ON COLUMN skan_daily.web IS 'The number of postbacks of ads on websites.';
COMMENT ON COLUMN skan_daily.fine_values IS 'The number of conversions with a fine value, without those in ambiguous_zeros. In the windows 1 and 2, here and in the following columns, of winning postbacks.';
COMMENT ON COLUMN skan_daily.coarse_low IS 'The number of conversions with the coarse value low and no fine value.';
COMMENT ON COLUMN skan_daily.coarse_medium IS 'The number of conversions with the coarse value medium and no fine value.';
COMMENT ON COLUMN skan_daily.coarse_high IS 'The number of conversions with the coarse value high and no fine value.';
COMMENT ON COLUMN skan_daily.nulls IS 'The number of conversions without a value that could have one. SKAdNetwork sends no such postback for the windows 1 and 2.';
COMMENT ON COLUMN skan_daily.no_value_possible IS 'The number of conversions of version 1.0, which has no conversion value.';
COMMENT ON COLUMN skan_daily.ambiguous_zeros IS 'The number of conversions with the value 0 that may be a null: the ad network writes nulls as 0 (null_as_zero), or the postback has the tier flag zero_may_be_null. They are neither values nor nulls. A 0 of a device''s own copy that decides, or that a forwarder confirms, is a value.';
COMMENT ON COLUMN skan_daily.values IS 'The sum of fine_values, coarse_low, coarse_medium and coarse_high.';
COMMENT ON COLUMN skan_daily.null_rate IS 'nulls / (values + nulls). Null if both are 0.';
COMMENT ON COLUMN skan_daily.null_rate_low IS 'The lower limit of the null rate: Wilson''s interval at 95 %.';
COMMENT ON COLUMN skan_daily.null_rate_high IS 'The upper limit of the null rate.';
COMMENT ON COLUMN skan_daily.cv_zero IS 'The number of fine_values that are 0.';
COMMENT ON COLUMN skan_daily.cv_positive IS 'The number of fine_values above 0.';
COMMENT ON COLUMN skan_daily.cv_sum IS 'The sum of the fine values.';
COMMENT ON COLUMN skan_daily.decoded IS 'The number of postbacks whose value the model decodes.';
COMMENT ON COLUMN skan_daily.unmapped IS 'The number of postbacks whose value the model does not list.';
COMMENT ON COLUMN skan_daily.no_model IS 'The number of postbacks with a value for which there is no model.';
COMMENT ON COLUMN skan_daily.ambiguous IS 'The number of postbacks on whose value models disagree.';
COMMENT ON COLUMN skan_daily.undecoded IS 'The sum of unmapped, no_model and ambiguous.';
COMMENT ON COLUMN skan_daily.revenue IS 'The sum of the estimated revenue of decoded postbacks, in currency. Null if no model with a currency decodes one, if there are several currencies, and if a part could not be converted to that of the report.';
COMMENT ON COLUMN skan_daily.revenue_min IS 'The sum of the least possible revenue.';
COMMENT ON COLUMN skan_daily.revenue_max IS 'The sum of the upper limits of the revenue. Null if revenue_max_open is not 0.';
COMMENT ON COLUMN skan_daily.currency IS 'The currency of the revenue and of the modelled revenue.';
COMMENT ON COLUMN skan_daily.unconverted_rows IS 'The number of decoded postbacks with revenue for which there is no rate. Their revenue is in revenue_by_currency alone.';
COMMENT ON COLUMN skan_daily.revenue_max_open IS 'The number of decoded postbacks whose revenue has no upper limit.';
COMMENT ON COLUMN skan_daily.revenue_max_closed IS 'The sum of the upper limits of those postbacks that have one.';
COMMENT ON COLUMN skan_daily.revenue_iap IS 'The part of the revenue from in-app purchases.';
COMMENT ON COLUMN skan_daily.revenue_admon IS 'The part of the revenue from ads in the app.';
COMMENT ON COLUMN skan_daily.revenue_all IS 'The part of the revenue that the model does not divide.';
COMMENT ON COLUMN skan_daily.revenue_by_currency IS 'The estimated revenue by currency, a number for each. Null unless there are several currencies, or revenue that could not be converted.';
COMMENT ON COLUMN skan_daily.conflicts IS 'The number of postbacks whose copies contradict each other. Those of them whose values do not count, because devices'' own copies do, are neither values nor nulls. Null if skan_settled has none of the postbacks.';
COMMENT ON COLUMN skan_daily.direct_confirmed IS 'The number of postbacks that a device''s own copy confirms. Null if skan_settled has none of the postbacks.';
COMMENT ON COLUMN skan_daily.confirmed_revenue IS 'The part of revenue whose values are a device''s own, or are confirmed by its copy. Null if skan_settled has none of the postbacks, and where revenue is null.';
COMMENT ON COLUMN skan_daily.value_suspicions IS 'The alarms about conversion values that concern postbacks of the row, joined by semicolons, such as raised_values of forwarder NAME: their forwarder or their network has the alarm, and no device''s own copy confirms the value. Null if there are none.';
COMMENT ON COLUMN skan_daily.modelled_revenue IS 'revenue with an estimate for postbacks without a value, as skan_modelled has them, in currency. Null unless modelled_status says that it is modelled.';
COMMENT ON COLUMN skan_daily.modelled_revenue_low IS 'The lower end of the interval of the modelled revenue.';
COMMENT ON COLUMN skan_daily.modelled_revenue_high IS 'The upper end of that interval.';
COMMENT ON COLUMN skan_daily.modelled_status IS 'modelled, borrowed or not_modelled: and the reason, as in skan_modelled. not_modelled:several_groups if postbacks without a value are in another group than the values like them; not_modelled:later_window in the windows 1 and 2, which are in skan_modelled alone, and not_modelled:open there for install dates that are not final, which it does not have yet. Null if the row has no installs or redownloads that could have a value. One of modelled, borrowed, not_modelled:no_values, not_modelled:too_few, not_modelled:no_variation, not_modelled:tiers_differ, not_modelled:zero_may_be_null, not_modelled:currencies, not_modelled:cumulative, not_modelled:cohort_mismatch, not_modelled:open, not_modelled:few_days, not_modelled:several_groups, not_modelled:later_window.';
COMMENT ON COLUMN skan_daily.cost IS 'The cost of the ads, in cost_currency. Null if no row of the cost file is of this row, if its costs are in several currencies, and if a part could not be converted to that of the report.';
COMMENT ON COLUMN skan_daily.cost_currency IS 'The currency of the cost.';
COMMENT ON COLUMN skan_daily.cost_by_currency IS 'The cost by currency, a number for each. Null unless there are several currencies, or a cost that could not be converted.';
COMMENT ON COLUMN skan_daily.cost_level IS 'row if the cost is of this row; parent if it is of all rows with the dimensions of this one that are not null, among which it is not divided. Null without a cost.';
COMMENT ON COLUMN skan_daily.impressions IS 'The impressions, as the cost file has them.';
COMMENT ON COLUMN skan_daily.clicks IS 'The clicks, as the cost file has them.';
COMMENT ON COLUMN skan_daily.network_installs IS 'The installs that the ad network counts, as the cost file has them.';
COMMENT ON COLUMN skan_daily.ecpi IS 'cost / installs. Null if there are none. It and the ratios below are null if the cost is 0 or less.';
COMMENT ON COLUMN skan_daily.roas IS 'revenue / cost. Null without a cost above 0 in the same currency.';
COMMENT ON COLUMN skan_daily.roas_min IS 'revenue_min / cost.';
COMMENT ON COLUMN skan_daily.roas_max IS 'revenue_max / cost. Null if revenue_max is null.';
COMMENT ON COLUMN skan_daily.roas_max_closed IS 'revenue_max_closed / cost: the least that roas_max can be if it is null.';
COMMENT ON COLUMN skan_daily.roas_scaled IS '(revenue · installs) / (cost · valid), where valid is the sum of values and ambiguous_zeros. It scales by all conversions, and counts new installs.';
COMMENT ON COLUMN skan_daily.roas_scaled_conversions IS '(revenue · conversions) / (cost · valid), which is right if values are missing at random.';
COMMENT ON COLUMN skan_daily.rpu IS 'revenue / valid: the revenue of a user.';
COMMENT ON COLUMN skan_daily.roi IS 'roas_scaled - 1.';
COMMENT ON COLUMN skan_daily.revenue_all_windows IS 'The revenue of the windows 0 to 2 of the same install date. For each install date, app, model and conversion type it is the larger one of the sum of the windows and the revenue of the window whose values include the windows before; this is decided over all postbacks of the report, so that the column is additive. It is in the row of the first of these windows that there is, and null in all others, in rows of the date_type received, if there are several currencies, and if a part could not be converted to that of the report. It changes until window 2 is final, 51 days after the beginning of the day, also where the row of window 0 is final before.';
COMMENT ON COLUMN skan_daily.revenue_basis IS 'The windows in revenue_all_windows: window0 if no later window has a decoded value; sum if they are added; cumulative if it is that of a window whose values include the earlier ones; mixed if models or conversion types of the row differ. Null if no value is decoded.';
COMMENT ON COLUMN skan_daily.as_of IS 'The time that the report is of: --as-of, after which no postback is counted, or the latest time of receipt. Lookup tables, costs and the decisions on copies are those of today all the same. Null if there is none.';
COMMENT ON COLUMN skan_daily.status IS 'open if further postbacks are to be expected; settling if only those that Apple sends again are; final if none are: in window 0 from 14 days after the beginning of the day on, and 13 if all postbacks are of SKAdNetwork 3 and earlier, of an app that measures for a day. Postbacks of later windows, which are in other rows, may be expected all the same. Null if the date is null.';
COMMENT ON COLUMN skan_daily.expected_share IS 'The share of the postbacks of an install date that should have been received, as the timers of Apple let expect if no window is locked. Nothing is multiplied by it. Null unless status is open and the row is of an install date.';

CREATE TABLE skan_daily_events (
  date_type VARCHAR NOT NULL,
  date DATE,
  postback_sequence_index BIGINT NOT NULL,
  dimensions VARCHAR NOT NULL,
  app_id BIGINT,
  app_name VARCHAR,
  network_name VARCHAR,
  network_status VARCHAR,
  campaign_id VARCHAR,
  campaign_name VARCHAR,
  adgroup_id VARCHAR,
  adgroup_name VARCHAR,
  creative_id VARCHAR,
  creative_name VARCHAR,
  source_app_id BIGINT,
  source_app_name VARCHAR,
  country VARCHAR,
  framework VARCHAR,
  version VARCHAR,
  environment VARCHAR,
  channel VARCHAR,
  forwarder VARCHAR,
  trust_level BIGINT,
  model_id VARCHAR,
  model_version BIGINT,
  conversion_type VARCHAR,
  fidelity_type BIGINT,
  ad_interaction_type VARCHAR,
  marketplace_identifier VARCHAR,
  source_identifier VARCHAR,
  source_domain VARCHAR,
  redownload BOOLEAN,
  event_name VARCHAR NOT NULL,
  postbacks_with_event BIGINT NOT NULL,
  event_count DECIMAL(36, 1) NOT NULL,
  min_event_count BIGINT NOT NULL,
  max_event_count BIGINT,
  revenue DECIMAL(36, 7),
  revenue_min DECIMAL(36, 7),
  revenue_max DECIMAL(36, 7),
  currency VARCHAR,
  revenue_by_currency JSON,
  modelled_postbacks DECIMAL(35, 6),
  modelled_postbacks_low DECIMAL(35, 6),
  modelled_postbacks_high DECIMAL(35, 6),
  event_ecpa DECIMAL(35, 6),
  event_ecr DECIMAL(35, 6)
);
COMMENT ON TABLE skan_daily_events IS 'The sums over the decoded postbacks with an event, for each row of skan_daily and event. Rows of both values of date_type are never added. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_daily_events.date_type IS 'received for the day of receipt; install for the day of the estimated install date, which is the day of the conversion for re-engagements.';
COMMENT ON COLUMN skan_daily_events.date IS 'The day in UTC. Null if the time of receipt, or the install date, is not known.';
COMMENT ON COLUMN skan_daily_events.postback_sequence_index IS 'The conversion window, 0 before 4.0.';
COMMENT ON COLUMN skan_daily_events.dimensions IS 'The dimensions that the rows are grouped by, joined by semicolons. The columns of other dimensions are null.';
COMMENT ON COLUMN skan_daily_events.app_id IS 'The advertised app.';
COMMENT ON COLUMN skan_daily_events.app_name IS 'The name of the advertised app. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_events.network_name IS 'The name of the ad network, or its id in lower case if the lookup tables have no name.';
COMMENT ON COLUMN skan_daily_events.network_status IS 'The origin of the network''s name, as in skan_enriched. Null if it differs between the postbacks. One of mapped, unmapped, development.';
COMMENT ON COLUMN skan_daily_events.campaign_id IS 'The id of the campaign at the ad network. Null if it is not known.';
COMMENT ON COLUMN skan_daily_events.campaign_name IS 'The name of the campaign. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_events.adgroup_id IS 'The id of the ad group.';
COMMENT ON COLUMN skan_daily_events.adgroup_name IS 'The name of the ad group. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_events.creative_id IS 'The id of the creative.';
COMMENT ON COLUMN skan_daily_events.creative_name IS 'The name of the creative. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_events.source_app_id IS 'The app that showed the ad. Null if Apple does not tell.';
COMMENT ON COLUMN skan_daily_events.source_app_name IS 'The name of the app or the website that showed the ad. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_events.country IS 'The country, as in skan_enriched.';
COMMENT ON COLUMN skan_daily_events.framework IS 'skadnetwork or adattributionkit.';
COMMENT ON COLUMN skan_daily_events.version IS 'The version of SKAdNetwork.';
COMMENT ON COLUMN skan_daily_events.environment IS 'The environment, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily_events.channel IS 'The channel through which the copy that counts came.';
COMMENT ON COLUMN skan_daily_events.forwarder IS 'The name of the forwarder of the copy that counts.';
COMMENT ON COLUMN skan_daily_events.trust_level IS 'The trust level, as in skan_settled. Null without that table.';
COMMENT ON COLUMN skan_daily_events.model_id IS 'The conversion model, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily_events.model_version IS 'The version of the model.';
COMMENT ON COLUMN skan_daily_events.conversion_type IS 'conversion-type of AdAttributionKit.';
COMMENT ON COLUMN skan_daily_events.fidelity_type IS 'fidelity-type of SKAdNetwork: 0 for a view, 1 for a click.';
COMMENT ON COLUMN skan_daily_events.ad_interaction_type IS 'ad-interaction-type of AdAttributionKit: click or view.';
COMMENT ON COLUMN skan_daily_events.marketplace_identifier IS 'marketplace-identifier of AdAttributionKit.';
COMMENT ON COLUMN skan_daily_events.source_identifier IS 'source-identifier, with as many digits as the postback has.';
COMMENT ON COLUMN skan_daily_events.source_domain IS 'The website that showed the ad.';
COMMENT ON COLUMN skan_daily_events.redownload IS 'redownload of SKAdNetwork. Null for AdAttributionKit, see conversion_type.';
COMMENT ON COLUMN skan_daily_events.event_name IS 'The name of the event.';
COMMENT ON COLUMN skan_daily_events.postbacks_with_event IS 'The number of postbacks whose value says that the event happened. Those that mean at least 0 times are not counted.';
COMMENT ON COLUMN skan_daily_events.event_count IS 'The sum of the estimated numbers of times.';
COMMENT ON COLUMN skan_daily_events.min_event_count IS 'The sum of the least possible numbers of times.';
COMMENT ON COLUMN skan_daily_events.max_event_count IS 'The sum of the greatest possible numbers of times. Null if a postback has no upper limit.';
COMMENT ON COLUMN skan_daily_events.revenue IS 'The sum of the estimated revenue. Null if there is none, if there are several currencies, and if a part could not be converted to that of the report.';
COMMENT ON COLUMN skan_daily_events.revenue_min IS 'The sum of the least possible revenue.';
COMMENT ON COLUMN skan_daily_events.revenue_max IS 'The sum of the upper limits. Null if a postback has none.';
COMMENT ON COLUMN skan_daily_events.currency IS 'The currency of the amounts.';
COMMENT ON COLUMN skan_daily_events.revenue_by_currency IS 'The estimated revenue by currency, a number for each. Null unless there are several currencies, or revenue that could not be converted.';
COMMENT ON COLUMN skan_daily_events.modelled_postbacks IS 'postbacks_with_event with an estimate for postbacks without a value. Null unless the row of skan_daily has modelled revenue.';
COMMENT ON COLUMN skan_daily_events.modelled_postbacks_low IS 'The lower end of the interval of the modelled number of postbacks.';
COMMENT ON COLUMN skan_daily_events.modelled_postbacks_high IS 'The upper end of that interval.';
COMMENT ON COLUMN skan_daily_events.event_ecpa IS 'The cost of an event: cost · valid / (event_count · installs), where valid is values and ambiguous_zeros. Null unless the row of skan_daily has a cost.';
COMMENT ON COLUMN skan_daily_events.event_ecr IS 'The events for each valid conversion: event_count / valid. Null if there is none.';

CREATE TABLE skan_daily_values (
  date_type VARCHAR NOT NULL,
  date DATE,
  postback_sequence_index BIGINT NOT NULL,
  dimensions VARCHAR NOT NULL,
  app_id BIGINT,
  app_name VARCHAR,
  network_name VARCHAR,
  network_status VARCHAR,
  campaign_id VARCHAR,
  campaign_name VARCHAR,
  adgroup_id VARCHAR,
  adgroup_name VARCHAR,
  creative_id VARCHAR,
  creative_name VARCHAR,
  source_app_id BIGINT,
  source_app_name VARCHAR,
  country VARCHAR,
  framework VARCHAR,
  version VARCHAR,
  environment VARCHAR,
  channel VARCHAR,
  forwarder VARCHAR,
  trust_level BIGINT,
  model_id VARCHAR,
  model_version BIGINT,
  conversion_type VARCHAR,
  fidelity_type BIGINT,
  ad_interaction_type VARCHAR,
  marketplace_identifier VARCHAR,
  source_identifier VARCHAR,
  source_domain VARCHAR,
  redownload BOOLEAN,
  value VARCHAR NOT NULL,
  count BIGINT NOT NULL
);
COMMENT ON TABLE skan_daily_values IS 'The number of conversions with a conversion value, for each row of skan_daily and value. The sum of a row''s counts is its values. Rows of both values of date_type are never added. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_daily_values.date_type IS 'received for the day of receipt; install for the day of the estimated install date, which is the day of the conversion for re-engagements.';
COMMENT ON COLUMN skan_daily_values.date IS 'The day in UTC. Null if the time of receipt, or the install date, is not known.';
COMMENT ON COLUMN skan_daily_values.postback_sequence_index IS 'The conversion window, 0 before 4.0.';
COMMENT ON COLUMN skan_daily_values.dimensions IS 'The dimensions that the rows are grouped by, joined by semicolons. The columns of other dimensions are null.';
COMMENT ON COLUMN skan_daily_values.app_id IS 'The advertised app.';
COMMENT ON COLUMN skan_daily_values.app_name IS 'The name of the advertised app. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_values.network_name IS 'The name of the ad network, or its id in lower case if the lookup tables have no name.';
COMMENT ON COLUMN skan_daily_values.network_status IS 'The origin of the network''s name, as in skan_enriched. Null if it differs between the postbacks. One of mapped, unmapped, development.';
COMMENT ON COLUMN skan_daily_values.campaign_id IS 'The id of the campaign at the ad network. Null if it is not known.';
COMMENT ON COLUMN skan_daily_values.campaign_name IS 'The name of the campaign. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_values.adgroup_id IS 'The id of the ad group.';
COMMENT ON COLUMN skan_daily_values.adgroup_name IS 'The name of the ad group. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_values.creative_id IS 'The id of the creative.';
COMMENT ON COLUMN skan_daily_values.creative_name IS 'The name of the creative. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_values.source_app_id IS 'The app that showed the ad. Null if Apple does not tell.';
COMMENT ON COLUMN skan_daily_values.source_app_name IS 'The name of the app or the website that showed the ad. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_values.country IS 'The country, as in skan_enriched.';
COMMENT ON COLUMN skan_daily_values.framework IS 'skadnetwork or adattributionkit.';
COMMENT ON COLUMN skan_daily_values.version IS 'The version of SKAdNetwork.';
COMMENT ON COLUMN skan_daily_values.environment IS 'The environment, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily_values.channel IS 'The channel through which the copy that counts came.';
COMMENT ON COLUMN skan_daily_values.forwarder IS 'The name of the forwarder of the copy that counts.';
COMMENT ON COLUMN skan_daily_values.trust_level IS 'The trust level, as in skan_settled. Null without that table.';
COMMENT ON COLUMN skan_daily_values.model_id IS 'The conversion model, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily_values.model_version IS 'The version of the model.';
COMMENT ON COLUMN skan_daily_values.conversion_type IS 'conversion-type of AdAttributionKit.';
COMMENT ON COLUMN skan_daily_values.fidelity_type IS 'fidelity-type of SKAdNetwork: 0 for a view, 1 for a click.';
COMMENT ON COLUMN skan_daily_values.ad_interaction_type IS 'ad-interaction-type of AdAttributionKit: click or view.';
COMMENT ON COLUMN skan_daily_values.marketplace_identifier IS 'marketplace-identifier of AdAttributionKit.';
COMMENT ON COLUMN skan_daily_values.source_identifier IS 'source-identifier, with as many digits as the postback has.';
COMMENT ON COLUMN skan_daily_values.source_domain IS 'The website that showed the ad.';
COMMENT ON COLUMN skan_daily_values.redownload IS 'redownload of SKAdNetwork. Null for AdAttributionKit, see conversion_type.';
COMMENT ON COLUMN skan_daily_values.value IS 'The fine value, 0 to 63, or the coarse value if there is no fine one.';
COMMENT ON COLUMN skan_daily_values.count IS 'The number of conversions with this value.';

CREATE TABLE skan_daily_changes (
  date_type VARCHAR NOT NULL,
  date DATE,
  postback_sequence_index BIGINT NOT NULL,
  dimensions VARCHAR NOT NULL,
  app_id BIGINT,
  app_name VARCHAR,
  network_name VARCHAR,
  network_status VARCHAR,
  campaign_id VARCHAR,
  campaign_name VARCHAR,
  adgroup_id VARCHAR,
  adgroup_name VARCHAR,
  creative_id VARCHAR,
  creative_name VARCHAR,
  source_app_id BIGINT,
  source_app_name VARCHAR,
  country VARCHAR,
  framework VARCHAR,
  version VARCHAR,
  environment VARCHAR,
  channel VARCHAR,
  forwarder VARCHAR,
  trust_level BIGINT,
  model_id VARCHAR,
  model_version BIGINT,
  conversion_type VARCHAR,
  fidelity_type BIGINT,
  ad_interaction_type VARCHAR,
  marketplace_identifier VARCHAR,
  source_identifier VARCHAR,
  source_domain VARCHAR,
  redownload BOOLEAN,
  cost_level VARCHAR,
  metric VARCHAR NOT NULL,
  previous DECIMAL(36, 7),
  current DECIMAL(36, 7),
  as_of TIMESTAMPTZ,
  reason VARCHAR
);
COMMENT ON TABLE skan_daily_changes IS 'A count or an amount in skan_daily that is not the one of the table that was there before. Each report adds its changes to those of earlier ones. Days that the table before did not have are not listed. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_daily_changes.date_type IS 'received for the day of receipt; install for the day of the estimated install date, which is the day of the conversion for re-engagements.';
COMMENT ON COLUMN skan_daily_changes.date IS 'The day in UTC. Null if the time of receipt, or the install date, is not known.';
COMMENT ON COLUMN skan_daily_changes.postback_sequence_index IS 'The conversion window, 0 before 4.0.';
COMMENT ON COLUMN skan_daily_changes.dimensions IS 'The dimensions that the rows are grouped by, joined by semicolons. The columns of other dimensions are null.';
COMMENT ON COLUMN skan_daily_changes.app_id IS 'The advertised app.';
COMMENT ON COLUMN skan_daily_changes.app_name IS 'The name of the advertised app. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_changes.network_name IS 'The name of the ad network, or its id in lower case if the lookup tables have no name.';
COMMENT ON COLUMN skan_daily_changes.network_status IS 'The origin of the network''s name, as in skan_enriched. Null if it differs between the postbacks. One of mapped, unmapped, development.';
COMMENT ON COLUMN skan_daily_changes.campaign_id IS 'The id of the campaign at the ad network. Null if it is not known.';
COMMENT ON COLUMN skan_daily_changes.campaign_name IS 'The name of the campaign. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_changes.adgroup_id IS 'The id of the ad group.';
COMMENT ON COLUMN skan_daily_changes.adgroup_name IS 'The name of the ad group. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_changes.creative_id IS 'The id of the creative.';
COMMENT ON COLUMN skan_daily_changes.creative_name IS 'The name of the creative. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_changes.source_app_id IS 'The app that showed the ad. Null if Apple does not tell.';
COMMENT ON COLUMN skan_daily_changes.source_app_name IS 'The name of the app or the website that showed the ad. Null if it differs between the postbacks.';
COMMENT ON COLUMN skan_daily_changes.country IS 'The country, as in skan_enriched.';
COMMENT ON COLUMN skan_daily_changes.framework IS 'skadnetwork or adattributionkit.';
COMMENT ON COLUMN skan_daily_changes.version IS 'The version of SKAdNetwork.';
COMMENT ON COLUMN skan_daily_changes.environment IS 'The environment, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily_changes.channel IS 'The channel through which the copy that counts came.';
COMMENT ON COLUMN skan_daily_changes.forwarder IS 'The name of the forwarder of the copy that counts.';
COMMENT ON COLUMN skan_daily_changes.trust_level IS 'The trust level, as in skan_settled. Null without that table.';
COMMENT ON COLUMN skan_daily_changes.model_id IS 'The conversion model, as in skan_postbacks.';
COMMENT ON COLUMN skan_daily_changes.model_version IS 'The version of the model.';
COMMENT ON COLUMN skan_daily_changes.conversion_type IS 'conversion-type of AdAttributionKit.';
COMMENT ON COLUMN skan_daily_changes.fidelity_type IS 'fidelity-type of SKAdNetwork: 0 for a view, 1 for a click.';
COMMENT ON COLUMN skan_daily_changes.ad_interaction_type IS 'ad-interaction-type of AdAttributionKit: click or view.';
COMMENT ON COLUMN skan_daily_changes.marketplace_identifier IS 'marketplace-identifier of AdAttributionKit.';
COMMENT ON COLUMN skan_daily_changes.source_identifier IS 'source-identifier, with as many digits as the postback has.';
COMMENT ON COLUMN skan_daily_changes.source_domain IS 'The website that showed the ad.';
COMMENT ON COLUMN skan_daily_changes.redownload IS 'redownload of SKAdNetwork. Null for AdAttributionKit, see conversion_type.';
COMMENT ON COLUMN skan_daily_changes.cost_level IS 'As in the row of skan_daily, which the other columns do not tell from that of a cost that is not divided. One of row, parent.';
COMMENT ON COLUMN skan_daily_changes.metric IS 'The name of the column of skan_daily.';
COMMENT ON COLUMN skan_daily_changes.previous IS 'The value before. Null if it was null, and if there was no such row.';
COMMENT ON COLUMN skan_daily_changes.current IS 'The value now. Null if it is null, and if there is no such row any more.';
COMMENT ON COLUMN skan_daily_changes.as_of IS 'The time that the new value is of, as in skan_daily.';
COMMENT ON COLUMN skan_daily_changes.reason IS 'The reason for the change: late_postback for postbacks that came later, late_copy for copies of them by which another value, campaign or day counts, lookup, model, rates or cost for another lookup table, model, file of rates or cost file. Null if there are several possible reasons, and if another grace period of settle may be one.';

CREATE TABLE skan_modelled (
  scope VARCHAR NOT NULL,
  app_id BIGINT NOT NULL,
  network_name VARCHAR,
  campaign_id BIGINT,
  source_identifier VARCHAR,
  postback_sequence_index BIGINT NOT NULL,
  period_start DATE,
  period_end DATE,
  conversions BIGINT NOT NULL,
  values BIGINT NOT NULL,
  nulls BIGINT NOT NULL,
  credibility DECIMAL(7, 6),
  observed_revenue DECIMAL(36, 7),
  null_revenue DECIMAL(35, 6),
  null_revenue_variance DECIMAL(35, 6),
  null_revenue_low DECIMAL(35, 6),
  null_revenue_high DECIMAL(35, 6),
  modelled_revenue DECIMAL(35, 6),
  modelled_revenue_low DECIMAL(35, 6),
  modelled_revenue_high DECIMAL(35, 6),
  bound_low DECIMAL(36, 7),
  bound_high DECIMAL(36, 7),
  currency VARCHAR,
  level DECIMAL(7, 6) NOT NULL,
  assumption VARCHAR NOT NULL,
  model_status VARCHAR NOT NULL,
  modelled_revenue_min DECIMAL(35, 6),
  modelled_revenue_max DECIMAL(35, 6),
  modelled_revenue_delta_0_5 DECIMAL(35, 6),
  modelled_revenue_delta_0_75 DECIMAL(35, 6),
  modelled_revenue_delta_1_25 DECIMAL(35, 6),
  modelled_revenue_delta_1_5 DECIMAL(35, 6),
  null_odds_low DECIMAL(35, 6),
  null_odds_high DECIMAL(35, 6),
  tier_factor DECIMAL(35, 6),
  day_factor DECIMAL(35, 6),
  coarse_basis VARCHAR,
  bucket_basis VARCHAR,
  ambiguous_zeros BIGINT NOT NULL
);
COMMENT ON TABLE skan_modelled IS 'The revenue of winning installs and redownloads with an estimate for those whose postback has no conversion value. There is one row for each stratum, which is a campaign as far as postbacks without a value tell it, and one total of an app, a window and a period for each model_status. The total with an estimate has the strata that are modelled and those that are borrowed. In CSV a null is an empty field.';
COMMENT ON COLUMN skan_modelled.scope IS 'stratum for a campaign, or total for all strata of the app with an estimate, or with the same reason for none.';
COMMENT ON COLUMN skan_modelled.app_id IS 'The advertised app.';
COMMENT ON COLUMN skan_modelled.network_name IS 'The ad network, as in skan_enriched. Null in a total.';
COMMENT ON COLUMN skan_modelled.campaign_id IS 'campaign-id up to SKAdNetwork 3, else null.';
COMMENT ON COLUMN skan_modelled.source_identifier IS 'The two digits of the source identifier that postbacks without a value have. Null up to SKAdNetwork 3, in a total, and for postbacks without an identifier.';
COMMENT ON COLUMN skan_modelled.postback_sequence_index IS 'The conversion window, 0 before 4.0.';
COMMENT ON COLUMN skan_modelled.period_start IS 'The first day of the week or month, or the first install date of the app. In the windows 1 and 2 of the whole range the first one of which all installs are there. Null if install dates are not known.';
COMMENT ON COLUMN skan_modelled.period_end IS 'The last install date of the period. In the windows 1 and 2 the last one of which the window has ended, unless the state is not_modelled:open.';
COMMENT ON COLUMN skan_modelled.conversions IS 'The number of winning installs and redownloads, without those of version 1.0. In the windows 1 and 2 this and the next two columns are those of window 0, because its nulls send no later postback, and without SKAdNetwork 3 and earlier, which have one window.';
COMMENT ON COLUMN skan_modelled.values IS 'The number of these with a decoded value. In the windows 1 and 2 the number of installs with a first value, without those whose later value has no meaning.';
COMMENT ON COLUMN skan_modelled.nulls IS 'The number of these without a value, for which the estimate is.';
COMMENT ON COLUMN skan_modelled.credibility IS 'The weight of the stratum''s own values in its estimate: 1 for its own alone, 0 for those of the pool alone. Null in a total, and without an estimate.';
COMMENT ON COLUMN skan_modelled.observed_revenue IS 'The estimated revenue of the values that were reported, with coarse values worth what fine ones tell.';
COMMENT ON COLUMN skan_modelled.null_revenue IS 'The expected revenue of the postbacks without a value.';
COMMENT ON COLUMN skan_modelled.null_revenue_variance IS 'The variance of that revenue.';
COMMENT ON COLUMN skan_modelled.null_revenue_low IS 'The lower end of the interval of that revenue, at level.';
COMMENT ON COLUMN skan_modelled.null_revenue_high IS 'The upper end of that interval. Null if there is no limit.';
COMMENT ON COLUMN skan_modelled.modelled_revenue IS 'observed_revenue + null_revenue.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_low IS 'The lower end of the interval of all revenue, at level: with the errors of nulls, of coarse values, of the ranges of values, and in the windows 1 and 2 of install dates.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_high IS 'The upper end of that interval. Null if there is no limit.';
COMMENT ON COLUMN skan_modelled.bound_low IS 'The revenue if each value is worth the least that it can mean, and each postback without a value the least of all values.';
COMMENT ON COLUMN skan_modelled.bound_high IS 'The revenue if they are worth the most. Null if a value has no upper limit, if the model is not known, and if the window is open.';
COMMENT ON COLUMN skan_modelled.currency IS 'The currency of all amounts. Null if no value is worth money, and if there are several currencies.';
COMMENT ON COLUMN skan_modelled.level IS 'The level of the intervals, such as 0.95.';
COMMENT ON COLUMN skan_modelled.assumption IS 'The assumption of the estimates and intervals, but not of the bounds. One of missing_at_random_within_campaign.';
COMMENT ON COLUMN skan_modelled.model_status IS 'modelled; borrowed if the stratum has no value, and those of other strata stand in; or not_modelled: and the reason. One of modelled, borrowed, not_modelled:no_values, not_modelled:too_few, not_modelled:no_variation, not_modelled:tiers_differ, not_modelled:zero_may_be_null, not_modelled:currencies, not_modelled:cumulative, not_modelled:cohort_mismatch, not_modelled:open, not_modelled:few_days.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_min IS 'The modelled revenue if each value is worth the least that it can mean.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_max IS 'The modelled revenue if each value is worth the most. Null if a value has no upper limit.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_delta_0_5 IS 'The modelled revenue if postbacks without a value are worth 0.5 times the estimate.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_delta_0_75 IS 'The same for 0.75 times the estimate.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_delta_1_25 IS 'The same for 1.25 times the estimate.';
COMMENT ON COLUMN skan_modelled.modelled_revenue_delta_1_5 IS 'The same for 1.5 times the estimate.';
COMMENT ON COLUMN skan_modelled.null_odds_low IS 'The lower end of the interval of the modelled revenue if the odds of a null are half as high for payers as for others (null_odds 1/2).';
COMMENT ON COLUMN skan_modelled.null_odds_high IS 'The upper end of that interval if they are twice as high (null_odds 2). Null if there is no upper limit.';
COMMENT ON COLUMN skan_modelled.tier_factor IS 'The factor of the revenue of postbacks without a value, which the data tiers of the values tell: 1 if values of all tiers are worth the same. Null without an estimate.';
COMMENT ON COLUMN skan_modelled.day_factor IS 'The same, as the values of install days with many nulls tell it: 1 if days do not differ beyond chance. Null without an estimate.';
COMMENT ON COLUMN skan_modelled.coarse_basis IS 'The origin of the worth of coarse values: the fine values of the same class of the stratum, of the network in the app, or of the app; or assumed, if these are too few and the number of the model stands. The farthest one if there are several. Null without coarse values.';
COMMENT ON COLUMN skan_modelled.bucket_basis IS 'The origin of the worth of fine values: exact, if the model has exact amounts; learnt, if s2s_events tells the mean in the range of each; or assumed, if the intervals have both ends of a range. The least certain one if there are several. Null if no fine value has revenue.';
COMMENT ON COLUMN skan_modelled.ambiguous_zeros IS 'The number of postbacks with the value 0 that may be a null. The lower ends of the intervals take them for values, and the upper ends for nulls.';

CREATE TABLE asa_attributions (
  attribution_key VARCHAR NOT NULL,
  received_at TIMESTAMPTZ,
  app_id BIGINT,
  token_sha256 VARCHAR,
  outcome VARCHAR NOT NULL,
  attempts BIGINT NOT NULL,
  http_status BIGINT,
  detail VARCHAR,
  attribution BOOLEAN,
  org_id BIGINT,
  org_name VARCHAR,
  campaign_id BIGINT,
  campaign_name VARCHAR,
  ad_group_id BIGINT,
  ad_group_name VARCHAR,
  keyword_id BIGINT,
  keyword VARCHAR,
  keyword_match_type VARCHAR,
  ad_id BIGINT,
  ad_name VARCHAR,
  creative_set_id BIGINT,
  creative_set_name VARCHAR,
  country VARCHAR,
  conversion_type VARCHAR,
  claim_type VARCHAR,
  click_at TIMESTAMPTZ,
  impression_at TIMESTAMPTZ,
  supply_placement VARCHAR,
  environment VARCHAR,
  api_version VARCHAR,
  source VARCHAR,
  flags VARCHAR[],
  extras JSON,
  raw_body VARCHAR,
  source_file VARCHAR,
  source_line BIGINT,
  PRIMARY KEY (attribution_key)
);
COMMENT ON TABLE asa_attributions IS 'An install as Apple Search Ads attributes it, or a token or a record without such a result. A token has one row. In CSV a null is an empty field.';
COMMENT ON COLUMN asa_attributions.attribution_key IS 'The first 128 bits of a SHA-256: of the token; without a token of the time of receipt, the payload, and its number among equal ones of its file; without both of the file in which it came first, and the number of the record.';
COMMENT ON COLUMN asa_attributions.received_at IS 'The time at which the token or the payload was received from the app.';
COMMENT ON COLUMN asa_attributions.app_id IS 'The app, if the record names it. Apple''s payload does not.';
COMMENT ON COLUMN asa_attributions.token_sha256 IS 'The SHA-256 of the token. Null without one.';
COMMENT ON COLUMN asa_attributions.outcome IS 'payload for a payload of Apple''s; token_invalid if Apple refuses the token (400); token_expired if it is older than 24 hours; not_found if Apple has no record of it (404), and unavailable if Apple does not answer, until a later exchange; malformed if the record, or Apple''s answer, cannot be read.';
COMMENT ON COLUMN asa_attributions.attempts IS 'The number of requests. 0 for imported records.';
COMMENT ON COLUMN asa_attributions.http_status IS 'The status of the last response. Null if there was none.';
COMMENT ON COLUMN asa_attributions.detail IS 'The reason of a result without a payload, for people.';
COMMENT ON COLUMN asa_attributions.attribution IS 'True if a tap or a view of an ad led to the install.';
COMMENT ON COLUMN asa_attributions.org_id IS 'orgId, iad-org-id.';
COMMENT ON COLUMN asa_attributions.org_name IS 'The name of the organisation.';
COMMENT ON COLUMN asa_attributions.campaign_id IS 'campaignId, iad-campaign-id.';
COMMENT ON COLUMN asa_attributions.campaign_name IS 'The name of the campaign, from the file of names or the payload.';
COMMENT ON COLUMN asa_attributions.ad_group_id IS 'adGroupId, iad-adgroup-id.';
COMMENT ON COLUMN asa_attributions.ad_group_name IS 'The name of the ad group.';
COMMENT ON COLUMN asa_attributions.keyword_id IS 'keywordId, iad-keyword-id. Null with Search Match.';
COMMENT ON COLUMN asa_attributions.keyword IS 'The keyword.';
COMMENT ON COLUMN asa_attributions.keyword_match_type IS 'iad-keyword-matchtype: Broad, Exact, Search.';
COMMENT ON COLUMN asa_attributions.ad_id IS 'adId, from iOS 15.2 on.';
COMMENT ON COLUMN asa_attributions.ad_name IS 'The name of the ad.';
COMMENT ON COLUMN asa_attributions.creative_set_id IS 'creativeSetId, iad-creativeset-id.';
COMMENT ON COLUMN asa_attributions.creative_set_name IS 'The name of the creative set.';
COMMENT ON COLUMN asa_attributions.country IS 'countryOrRegion, iad-country-or-region.';
COMMENT ON COLUMN asa_attributions.conversion_type IS 'conversionType, iad-conversion-type: Download, Redownload, PreOrder.';
COMMENT ON COLUMN asa_attributions.claim_type IS 'claimType: Click, Impression.';
COMMENT ON COLUMN asa_attributions.click_at IS 'clickDate, iad-click-date. Apple''s has no seconds.';
COMMENT ON COLUMN asa_attributions.impression_at IS 'impressionDate.';
COMMENT ON COLUMN asa_attributions.supply_placement IS 'supplyPlacement, the place of the ad: APPSTORE_PRODUCT_PAGES, APPSTORE_SEARCH_RESULTS, APPSTORE_SEARCH_TAB, APPSTORE_TODAY_TAB.';
COMMENT ON COLUMN asa_attributions.environment IS 'test for the payload with which Apple answers outside the App Store, else production. Null without a payload.';
COMMENT ON COLUMN asa_attributions.api_version IS 'The version of the interface: v1, or that of the dictionary, such as 3.1.';
COMMENT ON COLUMN asa_attributions.source IS 'The interface. Null if it is not known. One of adservices, iad.';
COMMENT ON COLUMN asa_attributions.flags IS 'fields_without_attribution if attribution is false and there are other fields; coerced_values for numbers and Booleans as texts; invalid_values for values that are in extras because their columns cannot hold them; repaired_text for a text that was not well-formed; unknown_values for words that Apple''s documentation does not list, which are kept as they are.';
COMMENT ON COLUMN asa_attributions.extras IS 'The fields without a column, and those with invalid values.';
COMMENT ON COLUMN asa_attributions.raw_body IS 'The beginning of a malformed record or answer.';
COMMENT ON COLUMN asa_attributions.source_file IS 'The file of the record.';
COMMENT ON COLUMN asa_attributions.source_line IS 'The line on which it begins.';

CREATE TABLE asa_daily (
  date DATE,
  network_name VARCHAR NOT NULL,
  app_id BIGINT,
  campaign_id BIGINT,
  campaign_name VARCHAR,
  country VARCHAR,
  conversions BIGINT NOT NULL,
  installs BIGINT NOT NULL,
  redownloads BIGINT NOT NULL,
  pre_orders BIGINT NOT NULL,
  conversions_click BIGINT NOT NULL,
  conversions_view BIGINT NOT NULL,
  note VARCHAR NOT NULL
);
COMMENT ON TABLE asa_daily IS 'The installs that Apple Search Ads attributes, by the day of receipt, app, campaign and country. They are counted on devices and are never added to those of skan_daily: another network may claim the same install with a postback. Tests are left out. In CSV a null is an empty field.';
COMMENT ON COLUMN asa_daily.date IS 'The day of receipt in UTC. Null if the time of receipt is not known.';
COMMENT ON COLUMN asa_daily.network_name IS 'Apple Search Ads.';
COMMENT ON COLUMN asa_daily.app_id IS 'The app. Null if the records do not name it.';
COMMENT ON COLUMN asa_daily.campaign_id IS 'The campaign.';
COMMENT ON COLUMN asa_daily.campaign_name IS 'The name of the campaign. Null if it is not known.';
COMMENT ON COLUMN asa_daily.country IS 'The country of the App Store.';
COMMENT ON COLUMN asa_daily.conversions IS 'The number of attributions.';
COMMENT ON COLUMN asa_daily.installs IS 'Those of the type Download.';
COMMENT ON COLUMN asa_daily.redownloads IS 'Those of the type Redownload.';
COMMENT ON COLUMN asa_daily.pre_orders IS 'Those of the type PreOrder.';
COMMENT ON COLUMN asa_daily.conversions_click IS 'The attributions to a tap.';
COMMENT ON COLUMN asa_daily.conversions_view IS 'The attributions to a view.';
COMMENT ON COLUMN asa_daily.note IS 'The number that another network claims too is not known. One of asa_overlap_unknown.';

CREATE TABLE skan_imported (
  import_key VARCHAR NOT NULL,
  vendor VARCHAR NOT NULL,
  verification VARCHAR NOT NULL,
  version VARCHAR,
  ad_network_id VARCHAR,
  transaction_id VARCHAR,
  app_id BIGINT,
  campaign_id BIGINT,
  source_identifier VARCHAR,
  source_app_id BIGINT,
  source_domain VARCHAR,
  redownload BOOLEAN,
  fidelity_type BIGINT,
  did_win BOOLEAN,
  postback_sequence_index BIGINT,
  conversion_value BIGINT,
  coarse_conversion_value VARCHAR,
  country_code VARCHAR,
  received_at TIMESTAMPTZ,
  forwarder VARCHAR,
  network_name VARCHAR,
  campaign_name VARCHAR,
  count BIGINT NOT NULL,
  revenue DECIMAL(28, 7),
  currency VARCHAR,
  extras JSON,
  source_file VARCHAR NOT NULL,
  source_line BIGINT NOT NULL,
  PRIMARY KEY (import_key)
);
COMMENT ON TABLE skan_imported IS 'A row of an export without Apple''s signature, as a vendor wrote it: nothing in it is verified, and no other table has it as a postback. skan_vendor_daily compares its sums with those of skan_postbacks.';
COMMENT ON COLUMN skan_imported.import_key IS 'The first 128 bits of a SHA-256: of the vendor, and of the network, the transaction and the window in lower case, joined by U+2063; without a transaction of the vendor, the row, and its number among equal ones.';
COMMENT ON COLUMN skan_imported.vendor IS 'The vendor of the export: --vendor, or the name of the mapping.';
COMMENT ON COLUMN skan_imported.verification IS 'none: no signature of Apple''s says that the row is true.';
COMMENT ON COLUMN skan_imported.version IS 'The version of SKAdNetwork, as the vendor writes it.';
COMMENT ON COLUMN skan_imported.ad_network_id IS 'The ad network.';
COMMENT ON COLUMN skan_imported.transaction_id IS 'The transaction. Null in exports of sums.';
COMMENT ON COLUMN skan_imported.app_id IS 'The advertised app; id525463029 is read as 525463029.';
COMMENT ON COLUMN skan_imported.campaign_id IS 'The campaign, before 4.0.';
COMMENT ON COLUMN skan_imported.source_identifier IS 'The source identifier, from 4.0 on.';
COMMENT ON COLUMN skan_imported.source_app_id IS 'The app that showed the ad.';
COMMENT ON COLUMN skan_imported.source_domain IS 'The website that showed the ad.';
COMMENT ON COLUMN skan_imported.redownload IS 'True if the app was installed before.';
COMMENT ON COLUMN skan_imported.fidelity_type IS '0 for a view-through ad, 1 for a StoreKit-rendered ad.';
COMMENT ON COLUMN skan_imported.did_win IS 'True if the ad network won the attribution.';
COMMENT ON COLUMN skan_imported.postback_sequence_index IS 'The conversion window.';
COMMENT ON COLUMN skan_imported.conversion_value IS 'The fine conversion value.';
COMMENT ON COLUMN skan_imported.coarse_conversion_value IS 'The coarse conversion value. One of low, medium, high.';
COMMENT ON COLUMN skan_imported.country_code IS 'The country, if it is said to be Apple''s.';
COMMENT ON COLUMN skan_imported.received_at IS 'The time at which the vendor received the postback, or the day of a sum.';
COMMENT ON COLUMN skan_imported.forwarder IS 'The party from which the vendor has the row, if the row says so.';
COMMENT ON COLUMN skan_imported.network_name IS 'The name of the ad network.';
COMMENT ON COLUMN skan_imported.campaign_name IS 'The name of the campaign.';
COMMENT ON COLUMN skan_imported.count IS 'The number of postbacks that the row stands for: 1, or the count of a sum.';
COMMENT ON COLUMN skan_imported.revenue IS 'The revenue of all postbacks of the row, as the vendor calculates it.';
COMMENT ON COLUMN skan_imported.currency IS 'The currency of the revenue: that of the row, or else --currency.';
COMMENT ON COLUMN skan_imported.extras IS 'All other values of the row, and those that their columns cannot have. Addresses, user agents, and ids of persons and devices are left out.';
COMMENT ON COLUMN skan_imported.source_file IS 'The path of the file.';
COMMENT ON COLUMN skan_imported.source_line IS 'The line on which the row begins.';

CREATE TABLE skan_vendor_daily (
  vendor VARCHAR NOT NULL,
  date DATE,
  app_id BIGINT,
  ad_network_id VARCHAR,
  campaign_id BIGINT,
  source_identifier VARCHAR,
  postback_sequence_index BIGINT,
  imported BIGINT NOT NULL,
  verified BIGINT NOT NULL,
  difference BIGINT NOT NULL,
  transactions BIGINT NOT NULL,
  matched BIGINT NOT NULL,
  values_equal BIGINT NOT NULL,
  values_different BIGINT NOT NULL,
  values_zero_for_null BIGINT NOT NULL,
  values_imported_only BIGINT NOT NULL,
  values_verified_only BIGINT NOT NULL,
  values_absent_both BIGINT NOT NULL,
  currency VARCHAR,
  imported_revenue DECIMAL(36, 7),
  verified_revenue DECIMAL(36, 7),
  imported_revenue_by_currency JSON,
  verified_revenue_by_currency JSON
);
COMMENT ON TABLE skan_vendor_daily IS 'What a vendor''s export counts beside the postbacks that Apple signed, by day and campaign. Both are counts of the same things from two sources and are never added. Lost postbacks are left out on both sides. A column that no row of the vendor has a value for is null, and the postbacks that Apple signed are added up over it.';
COMMENT ON COLUMN skan_vendor_daily.vendor IS 'The vendor of the export.';
COMMENT ON COLUMN skan_vendor_daily.date IS 'The day. Of the vendor it is the day of skan_imported.received_at, as the export has it; of Apple''s postbacks it is the day of receipt in UTC, as in skan_daily with the date_type received. Vendors may use days of other time zones.';
COMMENT ON COLUMN skan_vendor_daily.app_id IS 'The advertised app.';
COMMENT ON COLUMN skan_vendor_daily.ad_network_id IS 'The ad network, in lower case and with the suffix of SKAdNetwork.';
COMMENT ON COLUMN skan_vendor_daily.campaign_id IS 'The campaign, before 4.0.';
COMMENT ON COLUMN skan_vendor_daily.source_identifier IS 'The source identifier, from 4.0 on.';
COMMENT ON COLUMN skan_vendor_daily.postback_sequence_index IS 'The conversion window.';
COMMENT ON COLUMN skan_vendor_daily.imported IS 'The number of postbacks that the vendor counts. No signature was seen.';
COMMENT ON COLUMN skan_vendor_daily.verified IS 'The number of accepted postbacks, which Apple signed.';
COMMENT ON COLUMN skan_vendor_daily.difference IS 'imported less verified.';
COMMENT ON COLUMN skan_vendor_daily.transactions IS 'The rows of the vendor that name a transaction.';
COMMENT ON COLUMN skan_vendor_daily.matched IS 'Those of them whose transaction, window and network an accepted postback has, on whichever day it came.';
COMMENT ON COLUMN skan_vendor_daily.values_equal IS 'The matched rows with the value of the postback.';
COMMENT ON COLUMN skan_vendor_daily.values_different IS 'The matched rows with another value.';
COMMENT ON COLUMN skan_vendor_daily.values_zero_for_null IS 'The matched rows with a 0 where the postback has no value: many write a missing value so.';
COMMENT ON COLUMN skan_vendor_daily.values_imported_only IS 'The matched rows with a value where the postback has none.';
COMMENT ON COLUMN skan_vendor_daily.values_verified_only IS 'The matched rows without a value where the postback has one.';
COMMENT ON COLUMN skan_vendor_daily.values_absent_both IS 'The matched rows without a value, as the postback.';
COMMENT ON COLUMN skan_vendor_daily.currency IS 'The currency of both amounts. Null if there are several, or amounts of different ones.';
COMMENT ON COLUMN skan_vendor_daily.imported_revenue IS 'The revenue as the vendor calculates it. Null if it gives none, and without currency.';
COMMENT ON COLUMN skan_vendor_daily.verified_revenue IS 'The estimated revenue of the decoded postbacks. Null if there are none, and without currency.';
COMMENT ON COLUMN skan_vendor_daily.imported_revenue_by_currency IS 'The vendor''s revenue by currency. Null if it is in imported_revenue, or there is none.';
COMMENT ON COLUMN skan_vendor_daily.verified_revenue_by_currency IS 'The revenue of the decoded postbacks by currency. Null if it is in verified_revenue, or there is none.';

CREATE TABLE partner_deliveries (
  delivery_id VARCHAR NOT NULL,
  partner VARCHAR NOT NULL,
  postback_key VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  event_name VARCHAR,
  state VARCHAR NOT NULL,
  attempts BIGINT NOT NULL,
  first_attempt_at TIMESTAMPTZ,
  last_attempt_at TIMESTAMPTZ,
  http_status BIGINT,
  error VARCHAR,
  next_attempt_at TIMESTAMPTZ,
  PRIMARY KEY (delivery_id)
);
COMMENT ON TABLE partner_deliveries IS 'A delivery of a postback, or of one of its events, to a partner, in the order of acceptance. In CSV a null is an empty field.';
COMMENT ON COLUMN partner_deliveries.delivery_id IS 'The id of the delivery, the same in every attempt: the first 128 bits, in hexadecimal digits, of the SHA-256 of partner, postback, kind and event (empty if there is none), joined by U+2063; for a correction also of the one before it: the delivery that it supersedes, or a correction of that one which failed. Partners recognise repeated deliveries by it.';
COMMENT ON COLUMN partner_deliveries.partner IS 'The id of the partner in its configuration.';
COMMENT ON COLUMN partner_deliveries.postback_key IS 'The postback, a row of skan_postbacks.';
COMMENT ON COLUMN partner_deliveries.kind IS 'install, redownload or reengagement for the postback itself; event for an event; correction for new values of a delivery that postback settle has restated.';
COMMENT ON COLUMN partner_deliveries.event_name IS 'The name of the event. Null for the postback itself.';
COMMENT ON COLUMN partner_deliveries.state IS 'pending until there is a result; delivered after a status from 200 to 299; failed if the partner has refused it, or the attempts took too long; cancelled if it will not be sent, or not again.';
COMMENT ON COLUMN partner_deliveries.attempts IS 'The number of attempts.';
COMMENT ON COLUMN partner_deliveries.first_attempt_at IS 'The time of the first attempt. Null if there was none.';
COMMENT ON COLUMN partner_deliveries.last_attempt_at IS 'The time of the last attempt. Null if there was none.';
COMMENT ON COLUMN partner_deliveries.http_status IS 'The status of the last response. Null if there was none.';
COMMENT ON COLUMN partner_deliveries.error IS 'The reason of the last failure, or the beginning of the body of the response. Null if there was no failure.';
COMMENT ON COLUMN partner_deliveries.next_attempt_at IS 'The time of the next attempt. Null unless state is pending.';

CREATE TABLE s2s_events (
  received_at TIMESTAMPTZ NOT NULL,
  i VARCHAR,
  app_v VARCHAR,
  p VARCHAR,
  v VARCHAR,
  a VARCHAR,
  n VARCHAR,
  idfa VARCHAR,
  idfv VARCHAR,
  skan_current_conversion_value BIGINT,
  prev_fine_value BIGINT,
  skan_first_call_to_skadnetwork_timestamp BIGINT,
  skan_last_call_to_skadnetwork_timestamp BIGINT,
  skan_total_revenue_by_currency JSON,
  skan_total_admon_revenue_by_currency JSON,
  p0_coarse BIGINT,
  p0_prev_coarse_value BIGINT,
  p0_window_lock BIGINT,
  p0_total_iap_revenue JSON,
  p0_total_admon_revenue JSON,
  p1_coarse BIGINT,
  p1_prev_coarse_value BIGINT,
  p1_window_lock BIGINT,
  p1_total_iap_revenue JSON,
  p1_total_admon_revenue JSON,
  p2_coarse BIGINT,
  p2_prev_coarse_value BIGINT,
  p2_window_lock BIGINT,
  p2_total_iap_revenue JSON,
  p2_total_admon_revenue JSON,
  extras JSON
);
COMMENT ON TABLE s2s_events IS 'A session or an event of an app, as it was sent to /v1/events, with the metadata of the app''s updates of its conversion value. A value that its column cannot have is in extras, as are parameters of other names.';
COMMENT ON COLUMN s2s_events.received_at IS 'The time at which the receiver got the event.';
COMMENT ON COLUMN s2s_events.i IS 'The bundle id of the app.';
COMMENT ON COLUMN s2s_events.app_v IS 'The version of the app.';
COMMENT ON COLUMN s2s_events.p IS 'The platform, iOS.';
COMMENT ON COLUMN s2s_events.v IS 'The version of the operating system.';
COMMENT ON COLUMN s2s_events.a IS 'The SDK key, which is part of the app and no secret.';
COMMENT ON COLUMN s2s_events.n IS 'The event; __SESSION__ if the app was opened.';
COMMENT ON COLUMN s2s_events.idfa IS 'The first 80 bits of the SHA-256 of the advertising id; empty if it was sent empty.';
COMMENT ON COLUMN s2s_events.idfv IS 'The first 80 bits of the SHA-256 of the vendor''s id of the device.';
COMMENT ON COLUMN s2s_events.skan_current_conversion_value IS 'The fine value that the app set last.';
COMMENT ON COLUMN s2s_events.prev_fine_value IS 'The fine value before it.';
COMMENT ON COLUMN s2s_events.skan_first_call_to_skadnetwork_timestamp IS 'The first call of Apple''s API, in seconds since 1970; 0 before it.';
COMMENT ON COLUMN s2s_events.skan_last_call_to_skadnetwork_timestamp IS 'The latest call of Apple''s API, in seconds since 1970.';
COMMENT ON COLUMN s2s_events.skan_total_revenue_by_currency IS 'The revenue of in-app purchases so far, by currency.';
COMMENT ON COLUMN s2s_events.skan_total_admon_revenue_by_currency IS 'The revenue of ads so far, by currency.';
COMMENT ON COLUMN s2s_events.p0_coarse IS 'The coarse value that the app set last in window 0.';
COMMENT ON COLUMN s2s_events.p0_prev_coarse_value IS 'The coarse value before it.';
COMMENT ON COLUMN s2s_events.p0_window_lock IS 'The time of the update that locked window 0, in seconds since 1970.';
COMMENT ON COLUMN s2s_events.p0_total_iap_revenue IS 'The revenue of in-app purchases in window 0, by currency.';
COMMENT ON COLUMN s2s_events.p0_total_admon_revenue IS 'The revenue of ads in window 0, by currency.';
COMMENT ON COLUMN s2s_events.p1_coarse IS 'The coarse value that the app set last in window 1.';
COMMENT ON COLUMN s2s_events.p1_prev_coarse_value IS 'The coarse value before it.';
COMMENT ON COLUMN s2s_events.p1_window_lock IS 'The time of the update that locked window 1, in seconds since 1970.';
COMMENT ON COLUMN s2s_events.p1_total_iap_revenue IS 'The revenue of in-app purchases in window 1, by currency.';
COMMENT ON COLUMN s2s_events.p1_total_admon_revenue IS 'The revenue of ads in window 1, by currency.';
COMMENT ON COLUMN s2s_events.p2_coarse IS 'The coarse value that the app set last in window 2.';
COMMENT ON COLUMN s2s_events.p2_prev_coarse_value IS 'The coarse value before it.';
COMMENT ON COLUMN s2s_events.p2_window_lock IS 'The time of the update that locked window 2, in seconds since 1970.';
COMMENT ON COLUMN s2s_events.p2_total_iap_revenue IS 'The revenue of in-app purchases in window 2, by currency.';
COMMENT ON COLUMN s2s_events.p2_total_admon_revenue IS 'The revenue of ads in window 2, by currency.';
COMMENT ON COLUMN s2s_events.extras IS 'Other parameters, and those whose values their columns cannot have.';
