internal import JSON

/// Turns a CSV text that comes in pieces into lines of JSON: each row becomes an object on the line on which it begins.
///
/// A line that cannot be a row, because of its number of fields or of its quotes, is handed on as it is, and so becomes a
/// reject. If a row over several lines cannot be one, or is longer than `limit`, each of its lines is read on its own. So a
/// quote that is never closed costs its own line. Holds one row in memory, and looks at each byte a bounded number of times.
package struct CSVText {
  package let header: CSVHeader
  private let limit: Int
  /// The bytes of the row that is open.
  private var row: [UInt8] = []
  /// True if the open row has a quote that is open.
  private var isQuoted = false
  /// True in a line that is handed on as it comes, because it is too long.
  private var isPassing = false
  private var fields = CSVRow()
  private var members: [UInt8] = []
  private var envelope: [UInt8] = []

  /// A text behind its header, whose rows have at most `limit` bytes.
  package init(_ header: CSVHeader, limit: Int) { (self.header, self.limit) = (header, limit) }

  /// Turns the next piece of the text into JSON.
  package mutating func add(_ text: Span<UInt8>, to json: inout [UInt8]) {
    var start = 0
    while start < text.count {
      var end = start
      var isOdd = false
      while end < text.count, text[end] != UInt8(ascii: "\n") {
        isOdd = isOdd != (text[end] == UInt8(ascii: "\""))
        end += 1
      }
      let hasEnd = end < text.count
      add(text.extracting(start..<(hasEnd ? end + 1 : end)), hasEnd: hasEnd, isOdd: isOdd, to: &json)
      start = end + 1
    }
  }

  package mutating func finish(to json: inout [UInt8]) {
    guard !row.isEmpty else { return }
    let last = row
    row = []
    readLines(of: last.span, to: &json)
  }

  private mutating func add(_ piece: Span<UInt8>, hasEnd: Bool, isOdd: Bool, to json: inout [UInt8]) {
    guard !isPassing else {
      json.append(copying: piece)
      isPassing = !hasEnd
      return
    }
    isQuoted = isQuoted != isOdd
    if row.isEmpty, hasEnd, !isQuoted { return read(piece, to: &json) }
    row.append(copying: piece)
    if hasEnd, !isQuoted {
      let whole = row
      row.removeAll(keepingCapacity: true)
      read(whole.span, to: &json)
    } else if row.count > limit {
      leave(to: &json)
    }
  }

  /// Reads each whole line of the open row on its own, and goes on with its last line.
  private mutating func leave(to json: inout [UInt8]) {
    let open = row
    row.removeAll(keepingCapacity: true)
    let lineStart = open.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    readLines(of: open.span.extracting(0..<lineStart), to: &json)
    let rest = open[lineStart...]
    isPassing = rest.count > limit
    if isPassing { json += rest } else { row += rest }
    isQuoted = !isPassing && rest.count { $0 == UInt8(ascii: "\"") } % 2 == 1
  }

  /// Appends the object of a row with its line end; of what is no row, each line on its own.
  private mutating func read(_ row: Span<UInt8>, to json: inout [UInt8]) {
    if append(row, to: &json) { return }
    var lines = 0
    for index in row.indices where row[index] == UInt8(ascii: "\n") { lines += 1 }
    if lines > 1 { readLines(of: row, to: &json) } else { json.append(copying: row) }
  }

  private mutating func readLines(of text: Span<UInt8>, to json: inout [UInt8]) {
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      let line = text.extracting(start..<min(end + 1, text.count))
      if !append(line, to: &json) { json.append(copying: line) }
      start = end + 1
    }
  }

  /// Appends the object of a row, and a line end for each of those in it. Returns false if it is no row.
  private mutating func append(_ whole: Span<UInt8>, to json: inout [UInt8]) -> Bool {
    var end = whole.count
    if end > 0, whole[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, whole[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    let row = whole.extracting(0..<end)
    guard fields.split(row, at: header.separator), fields.fields.count == header.columns.count else { return false }
    var members = members
    var envelope = envelope
    members.removeAll(keepingCapacity: true)
    envelope.removeAll(keepingCapacity: true)
    (self.members, self.envelope) = ([], [])
    fields.forEach(of: row) { index, value in
      let column = header.columns[index]
      if column.isOfEnvelope { column.append(value, to: &envelope) } else { column.append(value, to: &members) }
    }
    (self.members, self.envelope) = (members, envelope)
    json.append(UInt8(ascii: "{"))
    if !envelope.isEmpty {
      json += envelope
      json += ",\"body\":{".utf8
    }
    json += members
    json += (envelope.isEmpty ? "}" : "}}").utf8
    for index in whole.indices where whole[index] == UInt8(ascii: "\n") { json.append(UInt8(ascii: "\n")) }
    return true
  }
}
