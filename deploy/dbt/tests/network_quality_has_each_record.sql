{# Each record of the input is counted once, as accepted or in one class of rejects, also if it was read again as a reject. #}
with places as (
    select
        source_file,
        source_line,
        received_at,
        count(*) as rejects,
        count(distinct raw_sha256) as records,
        count(*) filter (where stage = 'dedup') as copies,
        min(transaction_id) filter (where stage <> 'dedup') as transaction_id
    from {{ ref('stg_skan_rejects') }}
    group by 1, 2, 3
),

accepted as (
    select source_file, source_line, received_at, count(*) as postbacks, min(transaction_id) as transaction_id
    from {{ ref('stg_skan_postbacks') }}
    group by 1, 2, 3
),

counted as (
    select
        case
            when places.records > 1 then places.rejects
            when places.copies > 0 or (accepted.postbacks = 1 and accepted.transaction_id = places.transaction_id) then places.copies
            else 1
        end as rejects
    from places
    left join accepted
        on accepted.source_file = places.source_file
        and accepted.source_line = places.source_line
        and accepted.received_at is not distinct from places.received_at
),

expected as (
    select
        (select count(*) from {{ ref('stg_skan_postbacks') }}) as accepted,
        (select coalesce(sum(rejects), 0) from counted) as rejected
),

found as (
    select
        {{ sum_count('records') }} as records,
        {{ sum_count('accepted') }} as accepted,
        {{ sum_count('tests + unsettled + trust_0 + trust_1 + trust_2 + trust_3 + trust_4') }} as by_trust,
        {{ sum_count('copies + noise + suspicious') }} as rejected
    from {{ ref('fct_network_quality') }}
)

select *
from expected
cross join found
where
    expected.accepted + expected.rejected <> found.records
    or expected.accepted <> found.accepted
    or expected.accepted <> found.by_trust
    or expected.rejected <> found.rejected
