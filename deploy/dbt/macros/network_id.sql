{# The id of an ad network in lower case. Apple takes abc.skadnetwork and abc.adattributionkit for the same network. #}
{% macro network_id(column) -%}
regexp_replace(lower({{ column }}), '[.]adattributionkit$', '.skadnetwork')
{%- endmacro %}
