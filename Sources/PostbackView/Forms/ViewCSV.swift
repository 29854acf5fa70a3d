internal import Tables

/// Rows as CSV, as RFC 4180 has it. A text that a spreadsheet would run as a formula has an apostrophe before it.
struct ViewCSV {
  private(set) var bytes: [UInt8] = []

  /// Begins with a header.
  init(_ columns: [String]) { add(columns.map { ($0, true) }) }

  /// Adds a row; nil is an empty cell.
  mutating func add(_ cells: [(text: String, isText: Bool)?]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      guard let (text, isText) = cell else { continue }
      var content = Array(text.utf8)
      if isText, content.span.needsApostrophe { content.insert(UInt8(ascii: "'"), at: 0) }
      let isQuoted = content.isEmpty || content.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
      guard isQuoted else {
        bytes += content
        continue
      }
      bytes.append(0x22)
      for byte in content {
        if byte == 0x22 { bytes.append(0x22) }
        bytes.append(byte)
      }
      bytes.append(0x22)
    }
    bytes += [0x0D, 0x0A]
  }
}
