#!/usr/bin/env python3
"""Counts the daily report once more in DuckDB, from the tables that it is made of, and compares each number.

    daily_in_duckdb.py OUT [--environment LIST]

OUT is an output with skan_enriched, skan_settled and skan_daily, grouped by its usual dimensions and without other rates.
Prints the number of values that were compared. Ends with 0 if all are the same, 1 if not, and 77 if DuckDB is not
installed.
"""

import argparse
import pathlib
import sys

try:
    import duckdb
except ImportError:
    print("DuckDB is not installed", file=sys.stderr)
    sys.exit(77)

KEYS = ["date_type", "date", "postback_sequence_index", "app_id", "network_name", "campaign_id", "country"]

# The rows of the report: effective values, the enrichment, and the meaning of each conversion.
ROWS = """
CREATE TABLE rows AS SELECT
  coalesce(s.effective_received_at, s.direct_received_at) AS received_at, s.effective_estimated_install_date AS estimated_install_date, coalesce(p.postback_sequence_index, 0) AS postback_sequence_index, p.app_id,
  e.network_name, e.campaign_id, coalesce(s.effective_country_code, e.country) AS country, p.version,
  p.did_win IS DISTINCT FROM false AS won,
  CASE WHEN p.framework = 'skadnetwork' THEN CASE WHEN if(p.version = '1.0', s.effective_redownload, p.redownload) THEN 'redownload' ELSE 'install' END
    WHEN p.conversion_type = 'download' THEN 'install' WHEN p.conversion_type = 'redownload' THEN 'redownload'
    ELSE 'reengagement' END AS kind,
  s.effective_conversion_value AS fine, s.effective_coarse_conversion_value AS coarse, s.effective_decode_status AS status,
  s.effective_revenue::DECIMAL(28, 7) AS revenue, s.effective_min_revenue::DECIMAL(28, 7) AS revenue_min,
  s.effective_max_revenue::DECIMAL(28, 7) AS revenue_max, s.effective_currency AS currency,
  p.version IS NOT DISTINCT FROM '1.0' AS valueless, p.tier_flags, s.trust_level
FROM postbacks p JOIN enriched e USING (postback_key) JOIN settled s USING (postback_key)
WHERE list_contains(?, e.environment)
"""

COUNTS = {
    "postbacks": "true",
    "postbacks_won": "won",
    "installs": "won AND kind = 'install' AND postback_sequence_index = 0",
    "redownloads": "won AND kind = 'redownload' AND postback_sequence_index = 0",
    "reengagements": "won AND kind = 'reengagement' AND postback_sequence_index = 0",
    "coarse_low": "won AND NOT valueless AND fine IS NULL AND coarse = 'low'",
    "coarse_medium": "won AND NOT valueless AND fine IS NULL AND coarse = 'medium'",
    "coarse_high": "won AND NOT valueless AND fine IS NULL AND coarse = 'high'",
    "nulls": "won AND NOT valueless AND fine IS NULL AND coarse IS NULL",
    "cv_positive": "won AND NOT valueless AND fine > 0",
    "decoded": "won AND status = 'decoded'",
    "conflicts": "trust_level = 0",
    "direct_confirmed": "trust_level = 4",
    "revenue_max_open": "won AND status = 'decoded' AND revenue IS NOT NULL AND revenue_max IS NULL",
}
SUMS = {"revenue": "revenue", "revenue_min": "revenue_min", "revenue_max_closed": "revenue_max"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--environment", default="production")
    arguments = parser.parse_args()
    database = duckdb.connect()
    for table in ("postbacks", "enriched", "settled", "daily"):
        files = str(arguments.out / f"skan_{table}" / "part-*.jsonl")
        database.execute(f"CREATE TABLE {table} AS SELECT * FROM read_json(?, format = 'newline_delimited', "
                         "convert_strings_to_integers = false, sample_size = -1)", [files])
    database.execute(ROWS, [arguments.environment.split(",")])
    counts = ", ".join(f"count(*) FILTER ({where}) AS {name}" for name, where in COUNTS.items())
    sums = ", ".join(f"sum({column}) FILTER (won AND status = 'decoded') AS {name}" for name, column in SUMS.items())
    halves = []
    for date_type, column in (("received", "received_at"), ("install", "estimated_install_date")):
        halves.append(f"SELECT '{date_type}' AS date_type, {column}::TIMESTAMP::DATE AS date, "
                      f"{', '.join(KEYS[2:])}, {counts}, {sums}, count(DISTINCT currency) AS currencies FROM rows GROUP BY ALL")
    names = list(COUNTS) + list(SUMS)
    differing = compared = 0
    query = f"""
        SELECT {', '.join(f'coalesce(a.{key}::VARCHAR, b.{key}::VARCHAR)' for key in KEYS)},
          {', '.join(f'a.{name}, b.{name}' for name in names)}, a.currencies
        FROM ({' UNION ALL '.join(halves)}) a
        FULL JOIN (SELECT * FROM daily WHERE cost_level IS DISTINCT FROM 'parent' AND postbacks > 0) b
          ON {' AND '.join(f'a.{key}::VARCHAR IS NOT DISTINCT FROM b.{key}::VARCHAR' for key in KEYS)}"""
    for row in database.execute(query).fetchall():
        values = row[len(KEYS):-1]
        for index, name in enumerate(names):
            own, reported = values[2 * index], values[2 * index + 1]
            if name in SUMS and (row[-1] or 0) > 1:
                continue  # Several currencies: the report has no sum.
            if name in SUMS and own is None and (reported is None or float(reported) == 0):
                continue
            compared += 1
            if own is None or float(own) != float(reported or 0):
                differing += 1
                if differing <= 20:
                    print(f"{' '.join(map(str, row[:len(KEYS)]))}, {name}: {reported}, and DuckDB has {own}", file=sys.stderr)
    print(f"{compared} values compared, {differing} differ")
    sys.exit(1 if differing or not compared else 0)


main()
