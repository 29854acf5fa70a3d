@testable import Ledger
@testable import Tables
import Testing

@Suite struct `A view of DuckDB` {
  private let table = Table(
    name: "rows",
    description: "",
    columns: [
      Column(.eventName, .text, .nullable, ""), Column(.revenue, .money, .nullable, ""),
      Column(.tierFlags, .words(["a"]), .nullable, ""), Column(.extras, .object, .nullable, ""),
      Column(.receivedAt, .time, .nullable, ""),
    ]
  )

  private func file(_ path: String, completePath: String? = nil, header: [String] = []) -> StoredFiles.File {
    StoredFiles.File(path: path, completePath: completePath ?? path, byteCount: 77, rowCount: 9, header: header)
  }

  @Test func `casts the texts of JSON Lines to the declared types`() {
    let text = DuckDBView(table, over: .parts(.jsonLines, [file("/o/p")])).statement()
    #expect(text.hasPrefix("CREATE OR REPLACE VIEW rows AS SELECT\n"))
    #expect(text.contains(#"cells."event_name" AS "event_name""#))
    #expect(text.contains(#"cells."revenue"::DECIMAL(28, 7) AS "revenue""#))
    #expect(text.contains(#"from_json(cells."tier_flags", '["VARCHAR"]') AS "tier_flags""#))
    #expect(text.contains(#"1)::JSON END AS "extras""#))
    #expect(text.contains(#"cells."received_at"::TIMESTAMPTZ AS "received_at""#))
    #expect(text.contains(#"([{,]"(?:revenue)":)(-?[0-9.]+)"#))
    #expect(text.contains("read_ndjson_objects('/o/p', hive_partitioning = false)"))
  }

  @Test func `casts the cells of CSV, whose headers may differ`() {
    let files = [
      file("/o/1", header: ["event_name"]), file("/o/2", header: ["revenue"]), file("/o/3", header: ["revenue"]),
    ]
    let text = DuckDBView(table, over: .parts(.csv, files)).statement()
    #expect(text.contains(#"string_split("tier_flags", ';') AS "tier_flags""#))
    #expect(text.contains(#""extras"::JSON AS "extras""#))
    #expect(text.contains(#"NULL::VARCHAR AS "extras""#))
    #expect(text.ranges(of: "read_csv(").count == 2)
    #expect(text.contains("columns = {'revenue': 'VARCHAR'}"))
  }

  @Test func `ends at the committed bytes of a file that is still written`() {
    let files = [file("/o/.part.inprogress", completePath: "/o/part")]
    let json = DuckDBView(table, over: .parts(.jsonLines, files)).statement()
    #expect(json.contains("content[:77]"))
    #expect(json.contains("'/o/.part.inprogress',\n      '/o/part'"))
    #expect(DuckDBView(table, over: .parts(.csv, files)).statement().contains("LIMIT 9"))
  }

  @Test func `has no rows without files`() {
    for files in [nil, StoredFiles.parts(.jsonLines, [])] {
      let text = DuckDBView(table, over: files).statement()
      #expect(text.contains("WHERE false"))
      #expect(!text.contains("read_"))
    }
  }

  @Test func `reads all parts of a derived table, whichever they are later`() {
    let text = DuckDBView(table, over: .folder(.jsonLines, "/o/it's [1]*?/rows", header: [])).statement()
    #expect(text.contains("'/o/it''s [[]1][*][?]/rows/part-*.jsonl'"))
  }

  @Test func `finds exact decimals before an object of a sender, and nothing after it but plain values`() {
    for table in Table.all {
      guard let object = table.columns.firstIndex(where: { isObject($0.type) }) else { continue }
      for column in table.columns[(object + 1)...] {
        #expect(!isObject(column.type), "\(table.name).\(column.name)")
      }
    }
  }

  private func isObject(_ type: ColumnType) -> Bool {
    switch type {
    case .object, .objects: true
    default: false
    }
  }
}

@Suite struct `A script for DuckDB` {
  private let files = StoredFiles.parts(
    .jsonLines,
    [StoredFiles.File(path: "/o/p", completePath: "/o/p", byteCount: 1, rowCount: 1, header: [])]
  )

  @Test func `has all views with their descriptions in one transaction`() {
    let text = DuckDBScript(Table.all.map { ($0, files) }, of: nil).views
    #expect(text.contains("\nBEGIN;\n"))
    #expect(text.hasSuffix("\nCOMMIT;"))
    for table in Table.all {
      #expect(text.contains("COMMENT ON VIEW \(table.name) IS '"))
      for name in table.columnNames { #expect(text.contains("COMMENT ON COLUMN \(table.name).\(name) IS '")) }
    }
  }

  @Test func `writes Parquet by the day of receipt, of the postback where the row has none`() {
    let text = DuckDBScript([(.events, files)], of: nil).parquet(in: "/it's/here", postbacks: files)
    #expect(text.contains("TEMP VIEW skan_events"))
    #expect(text.contains("TEMP VIEW skan_postbacks"))
    #expect(!text.contains("COPY (\n  SELECT *"))
    // One row for each key, so that a postback that is there twice does not multiply its events.
    #expect(text.contains("min(received_at) AS received_at FROM skan_postbacks GROUP BY postback_key\n"))
    #expect(text.contains(") TO '/it''s/here/skan_events' ("))
    #expect(text.contains("PARTITION_BY (received_day)"))
  }

  @Test func `leaves out tables that do not exist where it writes Parquet`() {
    let text = DuckDBScript([(.rejects, nil)], of: nil).parquet(in: "/d", postbacks: nil)
    #expect(!text.contains("COPY"))
  }

  @Test func `has no path that DuckDB would take for another`() {
    #expect(DuckDB.pattern("/a*b/[c]?") == "/a[*]b/[[]c][?]")
    #expect(DuckDB.canOpen("/a b"))
    #expect(!DuckDB.canOpen(#"/a\b"#))
  }
}
