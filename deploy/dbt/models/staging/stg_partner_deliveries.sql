select
    cast(delivery_id as text) as delivery_id,
    cast(partner as text) as partner,
    cast(postback_key as text) as postback_key,
    cast(kind as text) as kind,
    cast(event_name as text) as event_name,
    cast(state as text) as state,
    cast(attempts as bigint) as attempts,
    cast(first_attempt_at as timestamptz) as first_attempt_at,
    cast(last_attempt_at as timestamptz) as last_attempt_at,
    cast(http_status as bigint) as http_status,
    cast(error as text) as error,
    cast(next_attempt_at as timestamptz) as next_attempt_at
from {{ source('postback', 'partner_deliveries') }}
