with accepted as (
    select
        accepted_date as date,
        ad_network_id,
        min(network_name) as network_name,
        count(*) as accepted,
        count(*) filter (where is_test) as tests,
        count(*) filter (where has_tier_flags and not is_test) as tier_flagged,
        {%- for level in range(5) %}
        count(*) filter (where trust_level = {{ level }} and not is_test) as trust_{{ level }},
        {%- endfor %}
        count(*) filter (where trust_level is null and not is_test) as unsettled,
        count(*) filter (where value_agreement in ('confirmed', 'conflict') and not is_test) as compared,
        count(*) filter (where value_agreement = 'confirmed' and not is_test) as agreed,
        count(*) filter (where value_state in ('fine', 'coarse') and postback_sequence_index = 0 and not is_test) as values,
        count(*) filter (where value_state = 'null' and postback_sequence_index = 0 and not is_test) as nulls,
        count(*) filter (where value_state = 'zero_or_null' and postback_sequence_index = 0 and not is_test) as ambiguous_zeros
    from {{ ref('fct_postback') }}
    group by 1, 2
),

{# A record that run --from-rejects has read again has a later row, with its place and its time of receipt. So of a place with one
   record only the row of the last stage counts, and none if the postback was accepted. Copies are never read again. A key that
   was unknown is the first reason of its stage. #}
places as (
    select
        *,
        min(raw_sha256) over place = max(raw_sha256) over place as has_one_record,
        row_number() over (
            partition by source_file, source_line, received_at
            order by
                case stage when 'dedup' then 0 when 'policy' then 1 when 'signature' then 2 when 'schema' then 3 else 4 end,
                case when reject_code = 'unknown_key' then 1 else 0 end
        ) as place_row
    from {{ ref('stg_skan_rejects') }}
    window place as (partition by source_file, source_line, received_at)
),

accepted_places as (
    select source_file, source_line, received_at, min(transaction_id) as transaction_id
    from {{ ref('stg_skan_postbacks') }}
    group by 1, 2, 3
    having count(*) = 1
),

classes as (
    select
        {{ day('places.received_at') }} as date,
        {{ network_id('places.ad_network_id') }} as ad_network_id,
        {{ reject_class('places.reject_code') }} as reject_class
    from places
    left join accepted_places
        on accepted_places.source_file = places.source_file
        and accepted_places.source_line = places.source_line
        and accepted_places.transaction_id = places.transaction_id
        and accepted_places.received_at is not distinct from places.received_at
    where
        places.stage = 'dedup'
        or not places.has_one_record
        or (places.place_row = 1 and accepted_places.source_file is null)
),

rejected as (
    select
        date,
        ad_network_id,
        count(*) as rejected,
        count(*) filter (where reject_class = 'copies') as copies,
        count(*) filter (where reject_class = 'noise') as noise,
        count(*) filter (where reject_class = 'suspicious') as suspicious
    from classes
    group by 1, 2
),

keyed as (
    select {{ row_key(['date', 'ad_network_id']) }} as network_day_key, * from accepted
),

keyed_rejects as (
    select {{ row_key(['date', 'ad_network_id']) }} as network_day_key, * from rejected
)

select
    coalesce(keyed.network_day_key, keyed_rejects.network_day_key) as network_day_key,
    coalesce(keyed.date, keyed_rejects.date) as date,
    coalesce(keyed.ad_network_id, keyed_rejects.ad_network_id) as ad_network_id,
    keyed.network_name,
    coalesce(keyed.accepted, 0) + coalesce(keyed_rejects.rejected, 0) as records,
    {%- for column in ['accepted', 'tests', 'tier_flagged', 'trust_0', 'trust_1', 'trust_2', 'trust_3', 'trust_4', 'unsettled',
                       'compared', 'agreed', 'values', 'nulls', 'ambiguous_zeros'] %}
    coalesce(keyed.{{ column }}, 0) as {{ column }},
    {%- endfor %}
    {%- for column in ['rejected', 'copies', 'noise', 'suspicious'] %}
    coalesce(keyed_rejects.{{ column }}, 0) as {{ column }},
    {%- endfor %}
    {{ ratio('coalesce(keyed_rejects.suspicious, 0)', 'coalesce(keyed.accepted, 0) + coalesce(keyed_rejects.suspicious, 0)') }} as suspicious_rate,
    {{ ratio('keyed.agreed', 'keyed.compared') }} as agreement_rate,
    {{ ratio('keyed.nulls', 'keyed.values + keyed.nulls') }} as null_rate
from keyed
full join keyed_rejects on keyed_rejects.network_day_key = keyed.network_day_key
