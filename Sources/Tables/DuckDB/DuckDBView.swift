internal import Ledger

/// A view of DuckDB over the files of a table, in which every column has its declared type.
///
/// A line of JSON is taken apart into texts, and a text is cast only where its column is used. A value that is not of its
/// type is an error of the query, never a null.
package struct DuckDBView: Sendable {
  private let table: Table
  private let files: StoredFiles?

  /// Declares the view of a table with its files; a view without files has no rows.
  package init(_ table: Table, over files: StoredFiles?) {
    (self.table, self.files) = (table, files)
  }

  /// The statement that creates the view or replaces it.
  package func statement(isTemporary: Bool = false) -> String {
    let columns = table.columns.map { "  \(value($0)) AS \(DuckDB.name($0.name.rawValue))" }
    return """
      CREATE OR REPLACE \(isTemporary ? "TEMP " : "")VIEW \(table.name) AS SELECT
      \(columns.joined(separator: ",\n"))
      FROM (
      \(cells)
      );
      """
  }

  private var format: TableFormat {
    switch files {
    case .parts(let format, _), .folder(let format, _, _): format
    case nil: .jsonLines
    }
  }

  private func value(_ column: Column) -> String {
    let name = DuckDB.name(column.name.rawValue)
    let cell = format == .jsonLines ? "cells.\(name)" : name
    switch (column.type, format) {
    case (.text, _), (.word, _): return cell
    case (.words, .jsonLines): return "from_json(\(cell), '[\"VARCHAR\"]')"
    case (.words, .csv): return "string_split(\(cell), ';')"
    case (.object, .jsonLines), (.objects, .jsonLines):
      let pattern = DuckDB.literal(Self.pattern(ofObject: column.name))
      return "CASE WHEN \(cell) IS NOT NULL THEN regexp_extract(line, \(pattern), 1)::JSON END"
    default: return "\(cell)::\(SQLDialect.duckdb.typeName(column.type))"
    }
  }

  /// The relation with the cells of each row as texts.
  private var cells: String { format == .jsonLines ? jsonCells : csvCells }

  // MARK: - JSON Lines

  /// The lines, each with the struct `cells` of the texts of its members.
  ///
  /// DuckDB reads a number with a fraction as a binary one. So those of exact decimals get quotation marks first: in a row,
  /// a quotation mark that follows a comma or a brace never belongs to a text.
  private var jsonCells: String {
    let members = table.columns.map { "\"\($0.name.rawValue)\":\"VARCHAR\"" }
    let decimals = table.columns.filter(\.type.isDecimal).map(\.name.rawValue)
    let pattern = #"([{,]"(?:\#(decimals.joined(separator: "|")))":)(-?[0-9.]+)"#
    let line = decimals.isEmpty ? "line" : #"regexp_replace(line, \#(DuckDB.literal(pattern)), '\1"\2"', 'g')"#
    return """
        SELECT line, from_json(\(line), '{\(members.joined(separator: ","))}') AS cells
        FROM (
      \(jsonLines.joined(separator: "\n    UNION ALL\n"))
        )
        WHERE line <> ''
      """
  }

  /// The relations with the lines of the files, in a column `line`.
  private var jsonLines: [String] {
    func lines(_ patterns: [String]) -> String {
      """
          SELECT json::VARCHAR AS line FROM read_ndjson_objects(\(DuckDB.list(patterns)), hive_partitioning = false)
      """
    }
    switch files {
    case .folder(_, let folder, _): return [lines(["\(DuckDB.pattern(folder))/part-*.jsonl"])]
    case .parts(_, let files):
      let complete = files.filter(\.isComplete)
      let relations =
        (complete.isEmpty ? [] : [lines(complete.map { DuckDB.pattern($0.path) })])
        + files.filter { !$0.isComplete }.map(committedLines)
      if !relations.isEmpty { return relations }
    case nil: break
    }
    return ["    SELECT NULL::VARCHAR AS line WHERE false"]
  }

  /// Returns the relation with the committed lines of a file that is still written, also after it is complete.
  private func committedLines(_ file: StoredFiles.File) -> String {
    let paths = [file.path, file.completePath].map(DuckDB.pattern)
    let end = file.byteCount
    let problem = "\(file.completePath) is not as it was any more; print the views again with postback schema"
    return """
          SELECT unnest(string_split(coalesce((
            SELECT any_value(decode(content[:\(end)])) FROM read_blob(\(DuckDB.list(paths)))
            WHERE content[\(end):\(end)] = '\\x0A'::BLOB
          ), error(\(DuckDB.literal(problem)))), chr(10))) AS line
      """
  }

  /// Returns the pattern of a line whose group 1 is the value of a column with an object or a list of objects, as it was
  /// written. The value ends where only members with a plain value follow up to the end of the line.
  private static func pattern(ofObject name: ColumnName) -> String {
    let text = #""(?:[^"\\]|\\.)*""#
    let plain = #"(?:\#(text)|[^"{}\[\],]+|\[(?:\#(text)|[^"{}\[\]])*\]|\{(?:\#(text)|[^"{}\[\]])*\})"#
    return #"[{,]"\#(name.rawValue)":([{\[].*?[}\]])(?:,"[a-z0-9_]+":\#(plain))*\}$"#
  }

  // MARK: - CSV

  private var csvCells: String {
    let none = table.columns.map { "NULL::VARCHAR AS \(DuckDB.name($0.name.rawValue))" }.joined(separator: ", ")
    let relations = ["  SELECT \(none) WHERE false"] + csvRows.map { "  SELECT * FROM \($0)" }
    return relations.joined(separator: "\n  UNION ALL BY NAME\n")
  }

  private var csvRows: [String] {
    func rows(_ patterns: [String], _ header: [String], _ options: String = "") -> String {
      let columns = header.map { "\(DuckDB.literal($0)): 'VARCHAR'" }.joined(separator: ", ")
      return """
        read_csv(\(DuckDB.list(patterns)), columns = {\(columns)}, auto_detect = false, header = true, delim = ',',
          quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, hive_partitioning = false\(options))
        """
    }
    switch files {
    case .folder(_, let folder, let header): return [rows(["\(DuckDB.pattern(folder))/part-*.csv"], header)]
    case .parts(_, let files):
      // Parts of earlier versions may have other columns.
      let complete = Dictionary(grouping: files.filter(\.isComplete), by: \.header)
      let groups = complete.sorted { $0.value[0].path < $1.value[0].path }
      return groups.map { rows($0.value.map { DuckDB.pattern($0.path) }, $0.key) }
        + files.filter { !$0.isComplete }.map { file in
          let first = rows([DuckDB.pattern(file.path)], file.header, ", parallel = false, ignore_errors = true")
          // Behind the committed rows may be a part of a row.
          return "(SELECT * FROM \(first) LIMIT \(file.rowCount))"
        }
    case nil: return []
    }
  }
}

extension ColumnType {
  /// Indicates that a value is an exact decimal.
  fileprivate var isDecimal: Bool {
    switch self {
    case .decimal, .signedDecimal: true
    default: false
    }
  }
}
