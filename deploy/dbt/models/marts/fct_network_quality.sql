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

classes as (
    select
        {{ day('received_at') }} as date,
        {{ network_id('ad_network_id') }} as ad_network_id,
        {{ reject_class('reject_code') }} as reject_class
    from {{ ref('stg_skan_rejects') }}
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
