select
    cast(postback_key as text) as postback_key,
    cast(event_name as text) as event_name,
    cast(postback_sequence_index as bigint) as postback_sequence_index,
    cast(event_count as numeric(20, 1)) as event_count,
    cast(min_event_count as bigint) as min_event_count,
    cast(max_event_count as bigint) as max_event_count,
    cast(skan_revenue as numeric(28, 7)) as skan_revenue,
    cast(min_revenue as numeric(28, 7)) as min_revenue,
    cast(max_revenue as numeric(28, 7)) as max_revenue,
    cast(currency as text) as currency,
    cast(cumulative as boolean) as cumulative,
    cast(revenue_kind as text) as revenue_kind,
    cast(model_id as text) as model_id,
    cast(model_version as bigint) as model_version
from {{ source('postback', 'skan_settled_events') }}
