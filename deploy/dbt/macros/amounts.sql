{# DuckDB and PostgreSQL give sums and quotients types of their own, so that each has its type here. #}

{# A sum of amounts; null without one. #}
{% macro sum_amount(column, condition='true') -%}
cast(sum({{ column }}) filter (where {{ condition }}) as numeric(38, 7))
{%- endmacro %}

{# A sum of counts; 0 without one. #}
{% macro sum_count(column, condition='true') -%}
cast(coalesce(sum({{ column }}) filter (where {{ condition }}), 0) as bigint)
{%- endmacro %}

{# A ratio with six digits after the point; null if the divisor is 0 or null. #}
{% macro ratio(dividend, divisor) -%}
cast(cast({{ dividend }} as numeric(38, 7)) / nullif({{ divisor }}, 0) as numeric(35, 6))
{%- endmacro %}
