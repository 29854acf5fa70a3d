internal import Base

/// A script for DuckDB over the tables of an output. Its statements are one transaction: all of them take effect, or none.
package struct DuckDBScript: Sendable {
  private let output: CommittedOutput?
  private let tables: [(table: Table, files: StoredFiles?)]

  /// Makes a script over tables with their files. `output` is nil if none of them is of a run.
  package init(_ tables: [(table: Table, files: StoredFiles?)], of output: CommittedOutput?) {
    (self.tables, self.output) = (tables, output)
  }

  /// The script that creates a view of each table, with the descriptions as comments.
  package var views: String {
    script(
      tables.flatMap { table, files in
        [DuckDBView(table, over: files).statement(), SQLDialect.duckdb.comments(on: table, as: "VIEW")]
      }
    )
  }

  /// Returns the script that writes Parquet into a folder for each table in `folder`. In it is a folder for each day of
  /// receipt, if the rows have one; tables without files are left out.
  ///
  /// A row without a time of receipt has that of its postback, and the first one if the postback is there twice, so that no row is
  /// written twice. `postbacks` are the files of the postbacks, for tables that need them and are not written with them.
  package func parquet(in folder: String, postbacks: StoredFiles?) -> String {
    var stored = tables.filter { $0.files != nil }
    let written = stored.map(\.table)
    if written.contains(where: \.hasDayOfPostback), !written.contains(where: { $0.name == Table.postbacks.name }) {
      stored.append((.postbacks, postbacks))
    }
    return script(
      stored.map { DuckDBView($0.table, over: $0.files).statement(isTemporary: true) }
        + written.map { $0.copyStatement(to: "\(folder)/\($0.name)") }
    )
  }

  private func script(_ statements: [String]) -> String {
    let title =
      output.map { output in
        output.commits == 0
          ? "nothing is committed yet"
          : "the rows of commit \(output.commits), of \(Timestamp(milliseconds: output.committedAt))"
      } ?? "derived tables"
    return """
      -- For DuckDB: \(title).
      BEGIN;

      \(statements.joined(separator: "\n\n"))

      COMMIT;
      """
  }
}

extension Table {
  private func has(_ name: ColumnName) -> Bool { columns.contains { $0.name == name } }

  /// Indicates that the rows are of postbacks whose time of receipt they do not have.
  package var hasDayOfPostback: Bool { has(.postbackKey) && !has(.receivedAt) }

  /// Returns the statement that writes the rows of the view as Parquet.
  fileprivate func copyStatement(to folder: String) -> String {
    let target = DuckDB.literal(folder)
    // A cast of the time itself would give the day in the session's time zone.
    let day = "make_timestamp(epoch_us(received_at))::DATE AS received_day"
    guard has(.receivedAt) || hasDayOfPostback else {
      return "COPY \(name) TO \(target) (FORMAT parquet, COMPRESSION zstd, PER_THREAD_OUTPUT);"
    }
    let rows =
      hasDayOfPostback
      ? """
      SELECT rows.*, \(day)
        FROM \(name) AS rows LEFT JOIN (
          SELECT postback_key, min(received_at) AS received_at FROM \(Table.postbacks.name) GROUP BY postback_key
        ) USING (postback_key)
      """
      : "SELECT *, \(day) FROM \(name)"
    return """
      COPY (
        \(rows)
      ) TO \(target) (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (received_day));
      """
  }
}

/// The rules of DuckDB for names, texts and paths.
package enum DuckDB {
  /// Returns a name as an identifier.
  static func name(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  /// Returns a text as a literal.
  static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  /// Returns texts as a literal of a list, one on each line.
  static func list(_ texts: [String]) -> String {
    texts.count == 1 ? literal(texts[0]) : "[\n\(texts.map { "      \(literal($0))" }.joined(separator: ",\n"))\n    ]"
  }

  /// Returns the pattern that only this path matches. DuckDB takes every path of a file for a pattern, and a backslash for a
  /// separator.
  static func pattern(_ path: String) -> String {
    String(path.flatMap { "*?[".contains($0) ? "[\($0)]" : "\($0)" })
  }

  /// Tells if DuckDB can open files at a path.
  package static func canOpen(_ path: String) -> Bool { !path.contains("\\") }
}
