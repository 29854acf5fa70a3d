/// The records of a CSV text (RFC 4180; lines may also end with LF alone), one after the other.
struct CSVRecords {
  /// A record.
  struct Record {
    /// The line where it begins, from 1.
    let line: Int
    var fields: [String] = []
    /// What is wrong with its quoting; nil where nothing is.
    var defect: String?
  }

  private var rest: Substring.UnicodeScalarView
  private var line = 1

  /// A byte order mark is passed over.
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

  /// Up to the comma or the end of the line.
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
