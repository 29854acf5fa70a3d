internal import Base
package import DurableFiles
internal import JSON
package import Signatures

/// A column of a lookup table: the raw value is its name in the file.
package protocol LookupColumn: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// The columns that a file must have.
  static var required: [Self] { get }
}

/// The notation of the dates in lookup tables that are not in the notation of ISO 8601.
package enum LookupDateFormat: String, Sendable {
  /// Month, day and year, such as `9/1/2020` for the first of September.
  case monthDayYear = "MDY"
}

/// A lookup file as CSV (RFC 4180, with a header) or as a JSON array of objects, of which each object is a row. White space around
/// a text is no part of it: an id with it would fit nothing.
package struct LookupFile {
  /// The largest number of rows of a file.
  static let mostRows = 1_000_000

  private static let mostBytes = 1 << 30

  /// The path, which is the beginning of each problem.
  package let path: String
  package let bytes: [UInt8]
  let dates: LookupDateFormat?

  package init(at path: String, dates: LookupDateFormat?) throws(FileFailure) {
    // Opening a pipe would wait for its other end.
    guard try FileStatus(path: path).kind == .regular else {
      throw FileFailure(.notFound, path, "This is not a regular file", advice: "Remove it, or put a file there")
    }
    self.init(path: path, bytes: try WholeFile.read(path, upTo: Self.mostBytes), dates: dates)
  }

  /// A file with this content.
  init(path: String, bytes: [UInt8], dates: LookupDateFormat?) {
    self.path = path
    self.bytes = bytes
    self.dates = dates
  }

  private var isJSON: Bool { path.hasSuffix(".json") }

  /// The SHA-256 of the file.
  package func digest() throws(LibcryptoFailure) -> SHA256Digest {
    var hash = try SHA256()
    try hash.update(bytes.span)
    return try hash.finish()
  }

  /// Reads all rows in order. A row with a broken form is a problem, and is left out.
  package func read<Column: LookupColumn>(
    _ columns: Column.Type,
    _ findings: inout LookupFindings,
    _ body: (inout LookupRow<Column>, inout LookupFindings) -> Void
  ) {
    if isJSON { readJSON(columns, &findings, body) } else { readCSV(columns, &findings, body) }
  }

  private func readCSV<Column: LookupColumn>(
    _: Column.Type,
    _ findings: inout LookupFindings,
    _ body: (inout LookupRow<Column>, inout LookupFindings) -> Void
  ) {
    guard (try? UTF8Span(validating: bytes.span)) != nil else {
      return findings.add(problem(nil, nil, "\(JSONDefect.invalidUTF8.advice(in: bytes))"))
    }
    var records = CSVRecords(bytes)
    var header: [Column?]?
    var count = 0
    while let record = records.next() {
      if record.fields == [""], record.defect == nil { continue }
      if let defect = record.defect {
        findings.add(problem(record.line, nil, "\(defect) Double the quotes inside a quoted field."))
        if header == nil { return }
        continue
      }
      guard let columns = header else {
        guard let read = readHeader(Column.self, record, &findings) else { return }
        header = read
        continue
      }
      guard record.fields.count == columns.count else {
        let counts = "The row has \(record.fields.count) fields, and the header has \(columns.count)."
        findings.add(problem(record.line, nil, "\(counts) Give each column its field."))
        continue
      }
      count += 1
      guard count <= Self.mostRows else { return findings.add(tooManyRows) }
      var row = LookupRow<Column>(file: path, line: record.line, dates: dates)
      for (column, field) in zip(columns, record.fields) {
        let text = field[...].trimmed
        if let column, !text.isEmpty { row.cells[column] = String(text) }
      }
      body(&row, &findings)
    }
    if header == nil {
      findings.add(problem(nil, nil, "The file is empty. It must begin with a header, such as \(Column.example)."))
    } else if count == 0 {
      findings.warn(noRows)
    }
  }

  /// Returns the column of each field, nil for an unknown one; nil if the rows cannot be read with this header.
  private func readHeader<Column: LookupColumn>(
    _: Column.Type,
    _ record: CSVRecords.Record,
    _ findings: inout LookupFindings
  ) -> [Column?]? {
    var columns: [Column?] = []
    var isWhole = true
    for field in record.fields {
      let name = String(field[...].trimmed)
      let column = Column(rawValue: name)
      if let column, columns.contains(column) {
        findings.add(problem(record.line, name, "The header has this column twice. Remove one."))
        isWhole = false
      }
      if column == nil { findings.warn(unknownColumn(Column.self, name, line: record.line)) }
      columns.append(column)
    }
    for column in Column.required where !columns.contains(column) {
      findings.add(problem(record.line, column.rawValue, "The column is required, and the header does not have it."))
      isWhole = false
    }
    return isWhole ? columns : nil
  }

  private func readJSON<Column: LookupColumn>(
    _: Column.Type,
    _ findings: inout LookupFindings,
    _ body: (inout LookupRow<Column>, inout LookupFindings) -> Void
  ) {
    let columns = Array(Column.allCases)
    var parser = JSONParser(names: columns.map(\.rawValue))
    var document = JSONDocument()
    let start = ByteOrderMark.length(in: bytes)
    var text = bytes + [UInt8](repeating: 0, count: JSONParser.padding)
    do throws(JSONDefect) {
      try parser.parse(start..<bytes.count, of: &text, into: &document)
    } catch {
      return findings.add(problem(nil, nil, error.advice(in: Array(bytes[start...]))))
    }
    guard document.root.kind == .array else {
      return findings.add(problem(nil, nil, "The text is no array. Write an array with an object for each row."))
    }
    guard document.members.count <= Self.mostRows else { return findings.add(tooManyRows) }
    let elements = document.members.map(\.value)
    if elements.isEmpty { findings.warn(noRows) }
    var unknown: Set<String> = []
    var (line, counted) = (1, start)
    let length = text.count
    for element in elements {
      // A string element may lie behind the text, where its escapes were resolved.
      let place = element.text.indices.lowerBound
      if place < bytes.count {
        line += text[counted..<place].count { $0 == UInt8(ascii: "\n") }
        counted = place
      }
      guard element.kind == .object else {
        findings.add(problem(line, nil, "The element is no object. Write an object with the columns as keys."))
        continue
      }
      // The text was parsed as part of the array, so that this cannot fail.
      guard (try? parser.parse(element.text.indices, of: &text, into: &document)) != nil else { continue }
      var row = LookupRow<Column>(file: path, line: line, dates: dates)
      for (column, field) in zip(columns, document.fields) {
        switch field.kind {
        case .absent, .null: break
        case .array, .object:
          findings.add(problem(line, column.rawValue, "The value is no text, number or Boolean. Write one of these."))
        default:
          let value = String(decoding: text[field.text.indices], as: UTF8.self)[...].trimmed
          if !value.isEmpty { row.cells[column] = String(value) }
        }
      }
      for member in document.members {
        let name = String(decoding: text[member.key.text.indices], as: UTF8.self)
        if unknown.insert(name).inserted { findings.warn(unknownColumn(Column.self, name, line: line)) }
      }
      text.removeLast(text.count - length)
      body(&row, &findings)
    }
  }

  private func unknownColumn<Column: LookupColumn>(_: Column.Type, _ name: String, line: Int) -> LookupProblem {
    let nearest = name.nearest(among: Column.allCases.map(\.rawValue)).map { " Did you mean \($0)?" } ?? ""
    return problem(line, name, "The column is not known, and is not read.\(nearest)")
  }

  /// A remark on a table in which nothing can be found, such as one whose export has failed.
  private var noRows: LookupProblem { problem(nil, nil, "The table has no rows.") }

  private var tooManyRows: LookupProblem {
    problem(nil, nil, "The file has more than \(Self.mostRows) rows. Remove rows of long ago.")
  }

  private func problem(_ line: Int?, _ column: String?, _ reason: String) -> LookupProblem {
    LookupProblem(file: path, line: line, column: column, reason: reason)
  }
}

extension LookupColumn {
  /// A header with the required columns.
  fileprivate static var example: String { required.map(\.rawValue).joined(separator: ",") }
}
