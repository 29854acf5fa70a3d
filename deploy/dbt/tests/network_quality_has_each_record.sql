{# Each record of the input is counted once, as accepted or in one class of rejects. #}
with expected as (
    select
        (select count(*) from {{ ref('stg_skan_postbacks') }}) as accepted,
        (select count(*) from {{ ref('stg_skan_rejects') }}) as rejected
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
