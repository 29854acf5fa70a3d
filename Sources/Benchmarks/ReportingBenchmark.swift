internal import Base
internal import Glibc

/// The rate at which the reporting commands read accepted postbacks, compared with `wc`, which only looks for line ends,
/// and with DuckDB grouping the same JSON Lines by the same columns.
struct ReportingBenchmark {
  /// The path of the command `postback`.
  let postback: String
  /// The folder for the dump and the tables.
  let folder: String

  private static let runs = 3
  private static let query = """
    import sys, duckdb
    database = duckdb.connect()
    database.execute("SET threads TO " + sys.argv[2])
    rows = database.execute(\"\"\"
        SELECT substr(received_at, 1, 10), substr(estimated_install_date, 1, 10), coalesce(postback_sequence_index, 0), app_id,
          ad_network_id, coalesce(campaign_id::VARCHAR, source_identifier), country_code, count(*),
          count(*) FILTER (did_win IS DISTINCT FROM false AND redownload IS DISTINCT FROM true),
          count(conversion_value), count(coarse_conversion_value), sum(skan_revenue::DECIMAL(28, 7)),
          sum(min_revenue::DECIMAL(28, 7)), sum(max_revenue::DECIMAL(28, 7)), currency
        FROM read_json_auto(?, format = 'newline_delimited') GROUP BY ALL\"\"\", [sys.argv[1]]).fetchall()
    print(sum(row[7] for row in rows))
    """

  func measures(_ count: Int) async throws -> [Measure] {
    let (dump, reporting, out) = ("\(folder)/campaigns.jsonl", "\(folder)/campaigns", "\(folder)/campaigns-out")
    _ = try ProcessRun([
      postback, "generate", "--count", "\(count)", "--campaigns", "200", "--cost", "--reporting", reporting, "--seed",
      "1",
      "--out", dump, "--keys", "\(folder)/campaigns.keys", "--quiet",
    ])
    let keys = String(decoding: try FileBytes.all(of: "\(folder)/campaigns.keys"), as: UTF8.self)
    _ = try ProcessRun(
      [postback, "run", dump, "--models", "\(reporting)/models", "--out", out, "--part-bytes", "\(1 << 40)", "--quiet"]
        + keys.split(whereSeparator: \.isWhitespace).map(String.init)
    )
    let part = "\(out)/skan_postbacks/part-00000001.jsonl"
    let rows = try ProcessRun(["wc", "-l", part]).output.split(separator: " ").first.flatMap { Int($0) } ?? 0
    let lookups = ["--lookups", "\(reporting)/lookups"]
    let environment = ["--environment", "production,custom"]
    var measures = [
      try measure("reporting.enrich", "postback enrich", [postback, "enrich", out] + lookups, rows),
      try measure("reporting.settle", "postback settle, with the copies", [postback, "settle", out] + lookups, rows),
      try measure(
        "reporting.daily",
        "postback daily, settled",
        [postback, "daily", out] + lookups + environment,
        rows
      ),
      try measure("reporting.wc", "wc -l, the same rows", ["wc", "-l", part], rows),
    ]
    measures[0].note = "\(rows) accepted postbacks of \(count) lines"
    if (try? ProcessRun(["python3", "-c", "import duckdb"])) != nil {
      let command = ["python3", "-c", Self.query, part, "\(Machine.cores)"]
      measures.append(try measure("reporting.duckdb", "DuckDB, GROUP BY, the same rows", command, rows))
    }
    for path in [dump, reporting, out] { try TemporaryFolder.remove(path) }
    return measures
  }

  private func measure(_ id: String, _ title: String, _ command: [String], _ count: Int) throws -> Measure {
    let runs = try (0..<Self.runs).map { _ in try ProcessRun(command) }
    var measure = Measure(id, title, Double(count) / (runs.map(\.seconds).min() ?? 1), .perSecond)
    measure.peakMemory = runs.map(\.peakMemory).max()
    return measure
  }
}
