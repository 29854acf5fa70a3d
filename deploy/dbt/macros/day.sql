{# The day of a time in UTC. #}
{% macro day(time) -%}
cast({{ time }} at time zone 'UTC' as date)
{%- endmacro %}
