/// The rate at which the reporting commands read accepted postbacks, compared with `wc`, which only looks for line ends,
/// and with DuckDB adding up the same JSON Lines by the same days and columns.
struct ReportingBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The folder for the dump and the tables.
  let folder: String

  /// The sums of `skan_daily` and `skan_daily_events` by both kinds of days, without the campaigns, whose place the
  /// identifiers take, and without modelling.
  private static let query = """
    import sys, duckdb
    output, threads = sys.argv[1:]
    database = duckdb.connect()
    database.execute("SET threads TO " + threads)
    database.execute("SET preserve_insertion_order TO false")
    money = "DECIMAL(28, 7)"
    def table(name, columns):
        database.execute(f"CREATE TABLE {name} AS SELECT * FROM read_json(?, format = 'newline_delimited', columns = ?)",
                         [f"{output}/skan_{name}/part-00000001.jsonl", columns])
    texts = ["postback_key", "received_at", "estimated_install_date", "ad_network_id", "campaign_id", "source_identifier",
             "country_code", "framework", "conversion_type", "source_domain", "coarse_conversion_value", "decode_status",
             "currency", "environment"]
    table("postbacks", {name: "VARCHAR" for name in texts}
          | {name: "BIGINT" for name in ("app_id", "postback_sequence_index", "fidelity_type", "conversion_value")}
          | {name: "BOOLEAN" for name in ("did_win", "redownload")}
          | {name: money for name in ("skan_revenue", "min_revenue", "max_revenue")})
    table("events", {"postback_key": "VARCHAR", "event_name": "VARCHAR", "currency": "VARCHAR", "min_event_count": "BIGINT",
                     "max_event_count": "BIGINT"}
          | {name: money for name in ("event_count", "skan_revenue", "min_revenue", "max_revenue")})
    won, none = "did_win IS DISTINCT FROM false", "conversion_value IS NULL"
    is_new = "(redownload IS DISTINCT FROM true AND conversion_type IS DISTINCT FROM 'redownload')"
    counts = ", ".join(f"count(*) FILTER ({where})" for where in [
        "true", won, f"{won} AND {is_new}", f"{won} AND NOT {is_new}", f"{won} AND fidelity_type = 1", f"{won} AND fidelity_type = 0",
        "source_domain <> ''", f"{won} AND NOT {none}", f"{won} AND {none} AND coarse_conversion_value IS NULL",
        *[f"{won} AND {none} AND coarse_conversion_value = '{word}'" for word in ("low", "medium", "high")],
        "conversion_value = 0", "conversion_value > 0", "skan_revenue IS NOT NULL AND max_revenue IS NULL",
        *[f"decode_status = '{word}'" for word in ("decoded", "unmapped", "no_model")]])
    rows = 0
    for day in ("received_at", "estimated_install_date"):
        key = (f"substr({day}, 1, 10), coalesce(postback_sequence_index, 0), app_id, ad_network_id, "
               "coalesce(campaign_id, source_identifier), country_code")
        rows += len(database.execute(f\"\"\"
            SELECT {key}, currency, {counts}, sum(conversion_value), sum(skan_revenue), sum(min_revenue), sum(max_revenue)
            FROM postbacks WHERE environment IN ('production', 'custom') GROUP BY ALL\"\"\").fetchall())
        rows += len(database.execute(f\"\"\"
            SELECT {key}, event_name, e.currency, count(*), sum(event_count), sum(min_event_count), sum(max_event_count),
              sum(e.skan_revenue), sum(e.min_revenue), sum(e.max_revenue)
            FROM postbacks JOIN events e USING (postback_key) WHERE environment IN ('production', 'custom') GROUP BY ALL
            \"\"\").fetchall())
    print(rows)
    """

  func measures(_ count: Int) async throws -> [Measure] {
    let (dump, reporting, out) = ("\(folder)/campaigns.jsonl", "\(folder)/campaigns", "\(folder)/campaigns-out")
    let campaigns = ["--campaigns", "200", "--cost", "--reporting", reporting]
    let keys = try Dump.write(count, campaigns, to: dump, by: postback)
    _ = try ProcessRun(
      [postback, "run", dump, "--models", "\(reporting)/models", "--out", out, "--part-bytes", "\(1 << 40)", "--quiet"]
        + keys
    )
    let part = "\(out)/skan_postbacks/part-00000001.jsonl"
    let rows = try ProcessRun(["wc", "-l", part]).output.split(separator: " ").first.flatMap { Int($0) } ?? 0
    let lookups = ["--lookups", "\(reporting)/lookups"]
    let environment = ["--environment", "production,custom"]
    var measures = [
      try derive("reporting.enrich", "postback enrich", "enrich", out, lookups, rows),
      try derive("reporting.settle", "postback settle, with the copies", "settle", out, lookups, rows),
    ]
    _ = try ProcessRun([postback, "settle", out] + lookups)
    measures += [
      try derive("reporting.daily", "postback daily, settled", "daily", out, lookups + environment, rows),
      try Measure.rate("reporting.wc", "wc -l, the same rows", rows) { try ProcessRun(["wc", "-l", part]) },
    ]
    measures[0].note = "\(rows) accepted postbacks of \(count) lines"
    if (try? ProcessRun(["python3", "-c", "import duckdb"])) != nil {
      let command = ["python3", "-c", Self.query, out, "\(Machine.cores)"]
      let title = "DuckDB, the sums of daily in SQL, the same rows"
      measures.append(try Measure.rate("reporting.duckdb", title, rows) { try ProcessRun(command) })
    }
    for path in [dump, reporting, out] { try TemporaryFolder.remove(path) }
    return measures
  }

  /// Measures a command that makes derived tables, over a copy of the output each time: where they are up to date, it does nothing.
  private func derive(
    _ id: String,
    _ title: String,
    _ command: String,
    _ output: String,
    _ options: [String],
    _ count: Int
  ) throws -> Measure {
    let copy = "\(folder)/campaigns-copy"
    return try Measure.rate(id, title, count) {
      try TemporaryFolder.copy(output: output, to: copy)
      defer { try? TemporaryFolder.remove(copy) }
      return try ProcessRun([postback, command, copy] + options)
    }
  }
}
