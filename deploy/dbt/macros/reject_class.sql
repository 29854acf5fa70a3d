{# The class of a reject code: harmless copies, noise, or suspicious. #}
{% macro reject_class(code) -%}
case
    when {{ code }} in ('not_json', 'not_an_object', 'too_large', 'too_deep', 'invalid_utf8', 'duplicate_key', 'truncated_input', 'unknown_version', 'unsupported_version', 'missing_field', 'wrong_type', 'out_of_range', 'malformed_jws', 'malformed_signature', 'development_key', 'app_not_allowed', 'network_not_allowed') then 'noise'
    when {{ code }} in ('forbidden_character', 'signature_invalid', 'unknown_key', 'duplicate_conflict', 'duplicate_transaction') then 'suspicious'
    when {{ code }} in ('duplicate_identical', 'duplicate_forgotten') then 'copies'
end
{%- endmacro %}
