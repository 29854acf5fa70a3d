{# The value that counts: that of skan_settled if it has the postback, and otherwise that of the accepted copy. #}
{% macro counted(effective, accepted) -%}
case when settled.postback_key is null then postbacks.{{ accepted }} else settled.{{ effective }} end
{%- endmacro %}
