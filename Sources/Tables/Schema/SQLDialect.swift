/// A dialect of SQL in which tables can be created.
package enum SQLDialect: String, CaseIterable, Sendable {
  /// PostgreSQL.
  case postgresql
  /// DuckDB.
  case duckdb
  /// Apache Spark, with tables of Parquet files.
  case spark
  /// Google BigQuery.
  case bigquery
  /// ClickHouse.
  case clickhouse
  case snowflake
  /// Amazon Redshift.
  case redshift

  /// Returns the statements that create a table, with the descriptions as comments; each ends in a semicolon. For
  /// warehouses that read files by themselves, a comment has the statement that loads the parts.
  package func statements(creating table: Table) -> String {
    let columns = table.columns.map { "  \(definition($0))" }
    let lines = columns + (primaryKey(table).map { ["  \($0)"] } ?? [])
    let body = "CREATE TABLE \(table.name) (\n\(lines.joined(separator: ",\n"))\n)"
    let comment = quoted(table.description.withoutMarkdown)
    switch self {
    case .postgresql, .duckdb:
      return "\(body);\n\(comments(on: table, as: "TABLE"))"
    case .redshift: return "\(body);\n\(comments(on: table, as: "TABLE"))\n-- \(redshiftCopy(table))"
    case .snowflake: return "\(body)\nCOMMENT = \(comment);\n-- \(snowflakeCopy(table))"
    case .spark: return "\(body)\nUSING PARQUET\nCOMMENT \(comment);"
    case .bigquery: return "\(body)\nOPTIONS (description = \(comment));"
    case .clickhouse:
      return "\(body)\nENGINE = MergeTree\nORDER BY \(table.key?.rawValue ?? "tuple()")\nCOMMENT \(comment);"
    }
  }

  /// Returns the statements that give a table or a view its descriptions; `kind` is `TABLE` or `VIEW`.
  func comments(on table: Table, as kind: String) -> String {
    let columns = table.columns.map {
      "COMMENT ON COLUMN \(table.name).\(identifier($0.name)) IS \(quoted($0.comment));"
    }
    let comment = quoted(table.description.withoutMarkdown)
    return (["COMMENT ON \(kind) \(table.name) IS \(comment);"] + columns).joined(separator: "\n")
  }

  /// Returns the statement that loads the parts of a table from a stage. JSON Lines have the lists and objects as they
  /// are, and amounts of JSON stay decimals.
  private func snowflakeCopy(_ table: Table) -> String {
    """
    COPY INTO \(table.name) FROM @STAGE/\(table.name)/ PATTERN = '.*/part-[0-9]+[.]jsonl' FILE_FORMAT = (TYPE = JSON) \
    MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE;
    """
  }

  /// Returns the statement that loads the parts of a table from S3, behind a remark on the files. Numbers of JSON pass through binary fractions
  /// there, so it reads CSV, except the table of the receiver, which is written as JSON Lines and has no amounts.
  private func redshiftCopy(_ table: Table) -> String {
    let isJSON = table.name == Table.sessionEvents.name
    let format = isJSON ? "JSON 'auto'" : "CSV IGNOREHEADER 1 EMPTYASNULL"
    return """
      \(isJSON ? "" : "Each file whose path begins so is loaded: have only the CSV parts there.\n-- ")\
      COPY \(table.name) FROM 's3://BUCKET/\(table.name)/part-' IAM_ROLE default FORMAT \(format) TIMEFORMAT 'auto' \
      DATEFORMAT 'auto' TRUNCATECOLUMNS;
      """
  }

  /// Returns the clause that declares the key of a table; nil if there is none, or the dialect has none.
  private func primaryKey(_ table: Table) -> String? {
    guard let key = table.key.map(identifier) else { return nil }
    switch self {
    case .postgresql, .duckdb, .snowflake, .redshift: return "PRIMARY KEY (\(key))"
    case .bigquery: return "PRIMARY KEY (\(key)) NOT ENFORCED"
    case .spark, .clickhouse: return nil
    }
  }

  /// Returns a name as an identifier. Some dialects reserve some of the names, such as `nulls` and `values`. A quoted
  /// name of Snowflake is the same as an unquoted one if it has capital letters.
  private func identifier(_ name: ColumnName) -> String {
    switch self {
    case .postgresql, .duckdb, .spark, .clickhouse: name.rawValue
    case .bigquery: "`\(name.rawValue)`"
    case .snowflake: "\"\(name.rawValue.uppercased())\""
    case .redshift: "\"\(name.rawValue)\""
    }
  }

  private func definition(_ column: Column) -> String {
    let name = identifier(column.name)
    let type = typeName(column.type)
    switch self {
    case .postgresql, .duckdb: return "\(name) \(type)\(column.isNullable ? "" : " NOT NULL")"
    case .redshift:
      // EMPTYASNULL makes a null of an empty text.
      let isRequired = if case .text = column.type { false } else { !column.isNullable }
      return "\(name) \(type)\(isRequired ? " NOT NULL" : "")"
    case .spark, .snowflake:
      return "\(name) \(type)\(column.isNullable ? "" : " NOT NULL") COMMENT \(quoted(column.comment))"
    case .bigquery:
      // An array of BigQuery is never null, and cannot be declared as such.
      let isRequired = !column.isNullable && !column.type.isList
      return "\(name) \(type)\(isRequired ? " NOT NULL" : "") OPTIONS (description = \(quoted(column.comment)))"
    case .clickhouse: return "\(name) \(clickHouseType(column)) COMMENT \(quoted(column.comment))"
    }
  }

  /// Returns the name of a type whose values are not null.
  package func typeName(_ type: ColumnType) -> String {
    switch (type, self) {
    case (.signedDecimal(let precision, let scale), _): typeName(.decimal(precision: precision, scale: scale))
    case (.date, .postgresql): "date"
    case (.date, .clickhouse): "Date32"
    case (.date, .duckdb), (.date, .spark), (.date, .bigquery), (.date, .snowflake), (.date, .redshift): "DATE"
    case (.text, .postgresql), (.word, .postgresql): "text"
    case (.text, .duckdb), (.word, .duckdb), (.text, .snowflake), (.word, .snowflake): "VARCHAR"
    // The longest text of Redshift, in bytes. A list is a text as CSV has it, which SUPER would take for broken JSON.
    case (.text, .redshift), (.words, .redshift): "VARCHAR(65535)"
    case (.word, .redshift): "VARCHAR(256)"
    case (.text, .spark), (.word, .spark), (.text, .bigquery), (.word, .bigquery): "STRING"
    case (.text, .clickhouse): "String"
    case (.word, .clickhouse): "LowCardinality(String)"
    case (.integer, .postgresql): "bigint"
    case (.integer, .duckdb), (.integer, .spark), (.integer, .redshift): "BIGINT"
    case (.integer, .snowflake): "NUMBER(19, 0)"
    case (.integer, .bigquery): "INT64"
    case (.integer, .clickhouse): "Int64"
    case (.decimal(let precision, let scale), .postgresql): "numeric(\(precision), \(scale))"
    // NUMERIC has at most 29 digits before the point.
    case (.decimal(let precision, let scale), .bigquery):
      "\(precision - scale > 29 ? "BIGNUMERIC" : "NUMERIC")(\(precision), \(scale))"
    case (.decimal(let precision, let scale), .snowflake): "NUMBER(\(precision), \(scale))"
    case (.decimal(let precision, let scale), .duckdb), (.decimal(let precision, let scale), .spark),
      (.decimal(let precision, let scale), .redshift):
      "DECIMAL(\(precision), \(scale))"
    case (.decimal(let precision, let scale), .clickhouse): "Decimal(\(precision), \(scale))"
    case (.boolean, .postgresql): "boolean"
    case (.boolean, .duckdb), (.boolean, .spark), (.boolean, .snowflake), (.boolean, .redshift): "BOOLEAN"
    case (.boolean, .bigquery): "BOOL"
    case (.boolean, .clickhouse): "Bool"
    case (.time, .postgresql): "timestamptz"
    case (.time, .duckdb), (.time, .redshift): "TIMESTAMPTZ"
    // With the offset of the text, so that its day is the one in UTC in any session.
    case (.time, .snowflake): "TIMESTAMP_TZ(3)"
    case (.time, .spark), (.time, .bigquery): "TIMESTAMP"
    case (.time, .clickhouse): "DateTime64(3, 'UTC')"
    case (.words, .postgresql): "text[]"
    case (.words, .duckdb): "VARCHAR[]"
    case (.words, .spark), (.words, .bigquery): "ARRAY<STRING>"
    case (.words, .snowflake): "ARRAY"
    case (.words, .clickhouse): "Array(LowCardinality(String))"
    // PostgreSQL's jsonb refuses \u0000, which a sender may write; json takes every text of JSON.
    case (.object, .postgresql), (.objects, .postgresql): "json"
    case (.object, .duckdb), (.objects, .duckdb), (.object, .bigquery), (.objects, .bigquery): "JSON"
    case (.object, .spark), (.objects, .spark): "STRING"
    case (.object, .clickhouse), (.objects, .clickhouse): "String"
    case (.object, .snowflake), (.objects, .snowflake): "VARIANT"
    case (.object, .redshift), (.objects, .redshift): "SUPER"
    }
  }

  private func clickHouseType(_ column: Column) -> String {
    let name = typeName(column.type)
    guard column.isNullable, !column.type.isList else { return name }
    if case .word = column.type { return "LowCardinality(Nullable(String))" }
    return "Nullable(\(name))"
  }

  /// Returns a text as a literal of the dialect.
  private func quoted(_ text: String) -> String {
    switch self {
    case .postgresql, .duckdb: "'\(text.replacing("'", with: "''"))'"
    case .snowflake, .redshift: "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "''"))'"
    case .spark, .clickhouse: "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    case .bigquery: "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
  }
}

extension ColumnType {
  /// Indicates that a value is a list of words.
  fileprivate var isList: Bool { if case .words = self { true } else { false } }
}

extension Column {
  /// The description without Markdown, with the possible words if it does not have them all.
  fileprivate var comment: String {
    let text = description.withoutMarkdown
    let (words, title): ([String], String) =
      switch type {
      case .word(let words): (words, "One of")
      case .words(let words): (words, "Some of")
      default: ([], "")
      }
    return words.allSatisfy(text.contains) ? text : "\(text) \(title) \(words.joined(separator: ", "))."
  }
}

extension String {
  /// The text without the marks of Markdown for code.
  fileprivate var withoutMarkdown: String { replacing("`", with: "") }
}
