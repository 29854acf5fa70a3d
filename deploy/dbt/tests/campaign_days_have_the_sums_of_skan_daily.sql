{# Each campaign day has the postbacks, installs, nulls, values and amounts of its rows in skan_daily, and none is missing. #}
{%- set counts = ['installs', 'redownloads', 'reengagements', 'conversions', 'assists', 'values', 'nulls'] -%}
with expected as (
    select
        {{ row_key(['date', 'app_id', 'network_name', 'campaign_id']) }} as campaign_day_key,
        sum(postbacks) as postbacks,
        {%- for column in counts %}
        coalesce(sum({{ column }}) filter (where postback_sequence_index = 0), 0) as {{ column }},
        {%- endfor %}
        sum(revenue) filter (where postback_sequence_index = 0) as revenue,
        sum(revenue_all_windows) as revenue_all_windows,
        sum(cost) as cost
    from {{ ref('stg_skan_daily') }}
    where date_type = '{{ var("date_type") }}'
    group by 1
)

select *
from expected
full join {{ ref('fct_campaign_day') }} as found on found.campaign_day_key = expected.campaign_day_key
where
    expected.postbacks is distinct from found.postbacks + found.later_postbacks
    {%- for column in counts %}
    or expected.{{ column }} is distinct from found.{{ column }}
    {%- endfor %}
    or (not found.has_several_currencies and expected.revenue is distinct from found.revenue)
    or (not found.has_several_currencies and expected.revenue_all_windows is distinct from found.revenue_all_windows)
    or (not found.has_several_cost_currencies and expected.cost is distinct from found.cost)
