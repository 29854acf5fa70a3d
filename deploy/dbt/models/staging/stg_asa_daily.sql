select
    cast(date as date) as date,
    cast(network_name as text) as network_name,
    cast(app_id as bigint) as app_id,
    cast(campaign_id as bigint) as campaign_id,
    cast(campaign_name as text) as campaign_name,
    cast(country as text) as country,
    cast(conversions as bigint) as conversions,
    cast(installs as bigint) as installs,
    cast(redownloads as bigint) as redownloads,
    cast(pre_orders as bigint) as pre_orders,
    cast(conversions_click as bigint) as conversions_click,
    cast(conversions_view as bigint) as conversions_view,
    cast(note as text) as note
from {{ source('postback', 'asa_daily') }}
