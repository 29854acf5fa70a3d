{%- set key = ['date', 'app_id', 'network_name', 'campaign_id'] -%}
{%- set first = 'postback_sequence_index = 0' -%}

with daily as (
    select * from {{ ref('stg_skan_daily') }}
    where date_type = '{{ var("date_type") }}'
),

-- Postbacks of the windows 1 and 2 are of the users of window 0.
sums as (
    select
        {{ row_key(key) }} as campaign_day_key,
        {{ key | join(', ') }},
        case when min(app_name) = max(app_name) then min(app_name) end as app_name,
        case when min(campaign_name) = max(campaign_name) then min(campaign_name) end as campaign_name,
        {{ sum_count('postbacks', first) }} as postbacks,
        {{ sum_count('postbacks', 'postback_sequence_index > 0') }} as later_postbacks,
        {%- for column in ['installs', 'redownloads', 'reengagements', 'conversions', 'installs_click', 'installs_view', 'assists',
                           'values', 'nulls', 'ambiguous_zeros', 'no_value_possible', 'undecoded', 'revenue_max_open'] %}
        {{ sum_count(column, first) }} as {{ column }},
        {%- endfor %}
        {%- for column in ['conflicts', 'direct_confirmed'] %}
        cast(sum({{ column }}) filter (where {{ first }}) as bigint) as {{ column }},
        {%- endfor %}
        {%- for column in ['revenue', 'revenue_min', 'revenue_max', 'confirmed_revenue'] %}
        {{ sum_amount(column, first) }} as {{ column }},
        {%- endfor %}
        {{ sum_amount('revenue_all_windows') }} as revenue_all_windows,
        min(currency) as currency,
        count(distinct currency) > 1 or count(revenue_by_currency) > 0 as has_several_currencies,
        {{ sum_amount('cost') }} as cost,
        min(cost_currency) as cost_currency,
        count(distinct cost_currency) > 1 or count(cost_by_currency) > 0 as has_several_cost_currencies,
        {%- for column in ['impressions', 'clicks', 'network_installs'] %}
        cast(sum({{ column }}) as bigint) as {{ column }},
        {%- endfor %}
        count(value_suspicions) > 0 as has_value_suspicions,
        case
            {%- for status in ['open', 'settling', 'final'] %}
            when count(*) filter (where {{ first }} and status = '{{ status }}') > 0 then '{{ status }}'
            {%- endfor %}
        end as status,
        max(as_of) as as_of
    from daily
    group by {{ key | join(', ') }}
),

-- Amounts of two currencies are never added.
campaign_days as (
    select
        campaign_day_key,
        {{ key | join(', ') }},
        app_name,
        campaign_name,
        postbacks,
        later_postbacks,
        installs,
        redownloads,
        reengagements,
        conversions,
        installs_click,
        installs_view,
        assists,
        values,
        nulls,
        ambiguous_zeros,
        no_value_possible,
        undecoded,
        conflicts,
        direct_confirmed,
        has_value_suspicions,
        has_several_currencies,
        {%- for column in ['currency', 'revenue', 'revenue_min', 'confirmed_revenue', 'revenue_all_windows'] %}
        case when not has_several_currencies then {{ column }} end as {{ column }},
        {%- endfor %}
        case when not has_several_currencies and revenue_max_open = 0 then revenue_max end as revenue_max,
        has_several_cost_currencies,
        {%- for column in ['cost_currency', 'cost'] %}
        case when not has_several_cost_currencies then {{ column }} end as {{ column }},
        {%- endfor %}
        impressions,
        clicks,
        network_installs,
        status,
        as_of
    from sums
)

select
    *,
    {{ ratio('nulls', 'values + nulls') }} as null_rate,
    case when cost > 0 then {{ ratio('cost', 'installs') }} end as ecpi,
    case when cost > 0 and currency = cost_currency then {{ ratio('revenue', 'cost') }} end as roas
from campaign_days
