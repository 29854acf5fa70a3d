/// The records of a CSV text (RFC 4180; lines may also end with LF alone), in order.
struct CSVRecords {
  /// A record of the CSV text.
  struct Record {
    /// The number of the line on which the record begins, from 1.
    let line: Int
    var fields: [String] = []
    /// The error in the record's quoting, as a phrase; nil where there is none.
    var defect: String?
  }

  private var rest: Substring.UnicodeScalarView
  private var line = 1

  /// The records of `text`; a leading byte order mark is skipped.
  init(_ text: String) {
    rest = text.unicodeScalars[...]
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
  }

  /// The next record; nil at the end.
  mutating func next() -> Record? {
    guard !rest.isEmpty else { return nil }
    var record = Record(line: line)
    while true {
      record.fields.append(rest.first == "\"" ? quotedField(&record) : bareField(&record))
      guard let separator = rest.popFirst(), separator == "," else { break }
    }
    line += 1
    return record
  }

  /// Reads up to the next comma or the end of the line; a quote is a defect.
  private mutating func bareField(_ record: inout Record) -> String {
    var field = String.UnicodeScalarView()
    while let scalar = rest.first, scalar != ",", scalar != "\n" {
      if scalar == "\"" { record.defect = "has a quote inside a field that is not quoted" }
      field.append(scalar)
      rest.removeFirst()
    }
    if rest.first != ",", field.last == "\r" { field.removeLast() }
    return String(field)
  }

  private mutating func quotedField(_ record: inout Record) -> String {
    var field = String.UnicodeScalarView()
    rest.removeFirst()
    while let scalar = rest.popFirst() {
      if scalar == "\n" { line += 1 }
      guard scalar == "\"" else {
        field.append(scalar)
        continue
      }
      guard rest.first == "\"" else {
        if !bareField(&record).isEmpty { record.defect = "has text behind a closing quote" }
        return String(field)
      }
      field.append(scalar)
      rest.removeFirst()
    }
    record.defect = "has a quote that is not closed"
    return String(field)
  }
}
