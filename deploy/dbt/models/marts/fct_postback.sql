with postbacks as (
    select * from {{ ref('stg_skan_postbacks') }}
),

settled as (
    select * from {{ ref('stg_skan_settled') }}
),

enriched as (
    select * from {{ ref('stg_skan_enriched') }}
),

decided as (
    select
        postbacks.postback_key,
        postbacks.framework,
        postbacks.version,
        coalesce(enriched.environment, postbacks.environment) as environment,
        {{ network_id('postbacks.ad_network_id') }} as ad_network_id,
        coalesce(enriched.network_name, lower(postbacks.ad_network_id)) as network_name,
        postbacks.app_id,
        enriched.app_name,
        enriched.campaign_id,
        enriched.campaign_name,
        enriched.adgroup_id,
        enriched.adgroup_name,
        enriched.creative_id,
        enriched.creative_name,
        postbacks.source_identifier,
        case
            when enriched.postback_key is not null then enriched.country
            else {{ counted('effective_country_code', 'country_code') }}
        end as country,
        coalesce(postbacks.postback_sequence_index, 0) as postback_sequence_index,
        coalesce(postbacks.did_win, true) as has_won,
        -- Version 1.0 does not sign it.
        case
            when postbacks.framework = 'adattributionkit' then postbacks.conversion_type
            when settled.postback_key is not null and postbacks.version = '1.0'
                then case when settled.effective_redownload then 'redownload' else 'download' end
            else case when postbacks.redownload then 'redownload' else 'download' end
        end as conversion_type,
        postbacks.received_at as accepted_at,
        case
            when settled.postback_key is null then postbacks.received_at
            else coalesce(settled.effective_received_at, settled.direct_received_at)
        end as received_at,
        {{ counted('effective_estimated_install_date', 'estimated_install_date') }} as estimated_install_date,
        {{ counted('effective_channel', 'channel') }} as channel,
        {{ counted('effective_forwarder', 'forwarder') }} as forwarder,
        {{ counted('effective_conversion_value', 'conversion_value') }} as conversion_value,
        {{ counted('effective_coarse_conversion_value', 'coarse_conversion_value') }} as coarse_conversion_value,
        {{ counted('effective_decode_status', 'decode_status') }} as decode_status,
        {{ counted('effective_model_id', 'model_id') }} as model_id,
        {{ counted('effective_model_version', 'model_version') }} as model_version,
        {{ counted('effective_revenue', 'skan_revenue') }} as revenue,
        {{ counted('effective_min_revenue', 'min_revenue') }} as revenue_min,
        {{ counted('effective_max_revenue', 'max_revenue') }} as revenue_max,
        {{ counted('effective_currency', 'currency') }} as currency,
        {{ counted('effective_cumulative', 'cumulative') }} as is_cumulative,
        settled.trust_level,
        settled.effective_decided_by as decided_by,
        case
            when 'conflict' in (settled.conversion_value_state, settled.coarse_conversion_value_state) then 'conflict'
            when 'confirmed' in (settled.conversion_value_state, settled.coarse_conversion_value_state) then 'confirmed'
            else coalesce(settled.conversion_value_state, settled.coarse_conversion_value_state)
        end as value_agreement,
        settled.copies_direct,
        settled.copies_forwarded,
        postbacks.tier_flags is not null as has_tier_flags,
        -- A 0 that a device sent is a value.
        coalesce(settled.trust_level = 4 or settled.effective_decided_by = 'direct', false) as is_of_device,
        case
            when settled.postback_key is null then coalesce('zero_may_be_null' = any(postbacks.tier_flags), false)
            else coalesce(settled.effective_zero_may_be_null, false)
        end as is_zero_filled
    from postbacks
    left join settled on settled.postback_key = postbacks.postback_key
    left join enriched on enriched.postback_key = postbacks.postback_key
),

kinds as (
    select
        *,
        case
            when not has_won then 'lost'
            when postback_sequence_index > 0 then 'later_window'
            when conversion_type = 'download' then 'install'
            when conversion_type = 'redownload' then 'redownload'
            when conversion_type in ('re-engagement', 'reengagement') then 'reengagement'
        end as outcome,
        not is_of_device and (
            is_zero_filled
            {%- for id in var('null_as_zero_networks') %}
            or ad_network_id = {{ network_id(dbt.string_literal(id)) }}
            {%- endfor %}
        ) as zero_may_be_null
    from decided
)

select
    postback_key,
    framework,
    version,
    environment,
    environment in ('development', 'forwarder_test') as is_test,
    ad_network_id,
    network_name,
    app_id,
    app_name,
    campaign_id,
    campaign_name,
    adgroup_id,
    adgroup_name,
    creative_id,
    creative_name,
    source_identifier,
    country,
    postback_sequence_index,
    outcome,
    accepted_at,
    {{ day('accepted_at') }} as accepted_date,
    received_at,
    {{ day('received_at') }} as received_date,
    {{ day('estimated_install_date') }} as install_date,
    channel,
    forwarder,
    conversion_value,
    coarse_conversion_value,
    case
        when outcome is null or outcome = 'lost' then null
        when decode_status = 'conflict' then 'contradicted'
        when framework = 'skadnetwork' and version = '1.0' then 'not_possible'
        when conversion_value = 0 and zero_may_be_null then 'zero_or_null'
        when conversion_value is not null then 'fine'
        when coarse_conversion_value is not null then 'coarse'
        else 'null'
    end as value_state,
    decode_status,
    model_id,
    model_version,
    revenue,
    revenue_min,
    revenue_max,
    currency,
    is_cumulative,
    trust_level,
    decided_by,
    value_agreement,
    copies_direct,
    copies_forwarded,
    has_tier_flags
from kinds
