import Reporting
import Tables
import Testing

@testable import Warehouse

@Suite struct `A table of the database` {
  private let postbacks = LoadedTable(table: .postbacks, schema: #"my "own" schema; --"#)
  private let name = #""my ""own"" schema; --"."skan_postbacks""#

  private func types(of table: LoadedTable) -> [String: String] {
    Dictionary(uniqueKeysWithValues: table.types.map { ($0.name, $0.type) })
  }

  @Test(arguments: Table.all + Table.derived)
  func `needs no change if it is as it was created`(_ table: Table) {
    let table = LoadedTable(table: table, schema: "public")
    #expect(table.alterations(of: types(of: table), hasKey: table.table.key != nil).isEmpty)
    #expect(table.types.last?.name == LoadedTable.loadedAt)
  }

  @Test func `quotes the schema as an identifier`() {
    #expect(postbacks.name == name)
    #expect(postbacks.copy.hasPrefix(#"COPY pg_temp."postback_skan_postbacks" ("postback_key", "#))
    #expect(postbacks.insertionAtTime.contains(#"", loaded_at) SELECT "postback_key", "#))
    #expect(postbacks.insertion?.hasPrefix("INSERT INTO \(name) (") == true)
    #expect(postbacks.creation.contains("ALTER TABLE \(name) ADD COLUMN loaded_at timestamptz NOT NULL DEFAULT now();"))
  }

  @Test func `is altered where a column is missing or has another type, or the key is missing`() {
    var found = types(of: postbacks)
    found["model_id"] = nil
    found["loaded_at"] = nil
    found["skan_revenue"] = "double precision"
    found["of the user"] = "text"
    #expect(
      postbacks.alterations(of: found, hasKey: false) == [
        #"ALTER TABLE \#(name) ADD COLUMN "model_id" text;"#,
        """
        ALTER TABLE \(name) ALTER COLUMN "skan_revenue" TYPE numeric(28,7) USING "skan_revenue"::numeric(28,7);
        """,
        #"ALTER TABLE \#(name) ADD COLUMN "loaded_at" timestamptz NOT NULL DEFAULT now();"#,
        #"ALTER TABLE \#(name) ADD PRIMARY KEY ("postback_key");"#,
      ]
    )
  }

  @Test func `without a key is filled directly`() {
    let events = LoadedTable(table: .events, schema: "public")
    #expect(events.insertion == nil)
    #expect(events.copy.hasPrefix(#"COPY "public"."skan_events" ("#))
    #expect(events.alterations(of: types(of: events), hasKey: false).isEmpty)
  }
}
