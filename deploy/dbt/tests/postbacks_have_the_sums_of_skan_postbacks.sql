{# There are as many postbacks of each network, app and window as in skan_postbacks, with the revenue that counts in each currency. #}
with accepted as (
    select
        {{ network_id('ad_network_id') }} as ad_network_id,
        app_id,
        coalesce(postback_sequence_index, 0) as postback_sequence_index,
        count(*) as postbacks,
        count(*) filter (where not did_win) as lost
    from {{ ref('stg_skan_postbacks') }}
    group by 1, 2, 3
),

found as (
    select ad_network_id, app_id, postback_sequence_index, count(*) as postbacks, count(*) filter (where outcome = 'lost') as lost
    from {{ ref('fct_postback') }}
    group by 1, 2, 3
),

amounts as (
    select postbacks.currency, postbacks.skan_revenue as revenue
    from {{ ref('stg_skan_postbacks') }} as postbacks
    left join {{ ref('stg_skan_settled') }} as settled on settled.postback_key = postbacks.postback_key
    where settled.postback_key is null
    union all
    select settled.effective_currency, settled.effective_revenue
    from {{ ref('stg_skan_settled') }} as settled
    inner join {{ ref('stg_skan_postbacks') }} as postbacks on postbacks.postback_key = settled.postback_key
),

accepted_revenue as (
    select currency, sum(revenue) as revenue from amounts where currency is not null group by 1
),

found_revenue as (
    select currency, sum(revenue) as revenue from {{ ref('fct_postback') }} where currency is not null group by 1
)

select cast(accepted.app_id as text) as wrong
from accepted
full join found
    on found.ad_network_id = accepted.ad_network_id
    and found.app_id = accepted.app_id
    and found.postback_sequence_index = accepted.postback_sequence_index
where accepted.postbacks is distinct from found.postbacks or accepted.lost is distinct from found.lost
union all
select accepted_revenue.currency
from accepted_revenue
full join found_revenue on found_revenue.currency = accepted_revenue.currency
where accepted_revenue.revenue is distinct from found_revenue.revenue
