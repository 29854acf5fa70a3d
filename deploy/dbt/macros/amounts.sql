{# DuckDB and PostgreSQL give sums and quotients types of their own, so that each has its type here. #}

{# A sum of amounts; null without one. #}
{% macro sum_amount(column, condition='true') -%}
cast(sum({{ column }}) filter (where {{ condition }}) as numeric(38, 7))
{%- endmacro %}

{# A sum of counts; 0 without one. #}
{% macro sum_count(column, condition='true') -%}
cast(coalesce(sum({{ column }}) filter (where {{ condition }}), 0) as bigint)
{%- endmacro %}

{# A ratio with six digits after the point, rounded half to even as in skan_daily; null if the divisor is 0 or null. DuckDB
   rounds so, and PostgreSQL rounds half away from zero. #}
{% macro ratio(dividend, divisor) -%}
{%- set quotient = 'cast(' ~ dividend ~ ' as numeric(38, 7)) / nullif(' ~ divisor ~ ', 0)' -%}
{%- if target.type == 'postgres' -%}
cast(
    round({{ quotient }}, 6) - case when mod(abs({{ quotient }}) * 2000000, 4) = 1 then sign({{ quotient }}) * 0.000001 else 0 end
    as numeric(35, 6)
)
{%- else -%}
cast({{ quotient }} as numeric(35, 6))
{%- endif -%}
{%- endmacro %}
