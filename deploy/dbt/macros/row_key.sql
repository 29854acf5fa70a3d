{# The key of a row: a digest of the values of some columns, each with its length, so that no two lists of values are the same. #}
{% macro row_key(columns) -%}
md5(
    {%- for column in columns %}
    {% if not loop.first %}|| {% endif %}coalesce(cast(length(cast({{ column }} as text)) as text) || ':' || cast({{ column }} as text), '-')
    {%- endfor %}
)
{%- endmacro %}
