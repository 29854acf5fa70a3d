/// The parts of one table that rows go to: one for each format, with the same rows.
struct TableParts {
  /// The table.
  let table: Table
  private let formats: [TableFormat]
  private let output: String
  private var open: [PartFile] = []
  /// Those that are full, and those that are to be published once that is committed.
  private var complete: [PartFile] = []
  private var lastNumber = 0
  /// The number of the first part that rows of this process can be in.
  let firstNumber: Int
  /// Whether the ledger has yet to hear of something.
  private(set) var isChanged = false
  /// When the open parts were begun.
  private var begun: ContinuousClock.Instant?

  /// The parts as the ledger has them: those that were complete get their names, the open ones go on.
  init(_ table: Table, _ formats: Set<TableFormat>, in folder: OutputFolder, _ parts: [LedgerPart]) throws(StateFailure)
  {
    self.table = table
    self.formats = TableFormat.allCases.filter(formats.contains)
    output = folder.path
    for part in parts where part.table == table.name {
      lastNumber = max(lastNumber, part.number)
      switch part.phase {
      case .open:
        open.append(try PartFile.reopen(part, in: output))
        begun = .now
      case .complete:
        // What is not hidden was published, and may have been taken away since.
        if try folder.hasHidden(part) { try PartFile.publish(part, in: output) }
      }
    }
    firstNumber = open.map(\.part.number).min() ?? lastNumber + 1
  }

  /// Whether the table has no part yet.
  var isEmpty: Bool { lastNumber == 0 }

  /// The bytes of the longest open part.
  var byteCount: Int64 { open.map(\.part.length).max() ?? 0 }

  /// How long ago the open parts were begun.
  var age: Duration { begun.map { .now - $0 } ?? .zero }

  /// Begins parts, if none are open.
  mutating func begin() throws(StateFailure) {
    guard open.isEmpty else { return }
    lastNumber += 1
    begun = .now
    isChanged = true
    for format in formats {
      let file = try PartFile.create(LedgerPart(table: table.name, format: format, number: lastNumber), in: output)
      if format == .csv {
        let header = table.csvHeader
        try file.append(header, checksum: CRC32(of: header).value, rows: 0)
      }
      open.append(file)
    }
  }

  /// Appends rows to the open parts.
  mutating func append(_ rows: EncodedRows, _ checksums: [TableFormat: UInt32]) throws(StateFailure) {
    guard rows.count > 0 else { return }
    try begin()
    isChanged = true
    for file in open {
      try file.append(rows[file.part.format], checksum: checksums[file.part.format] ?? 0, rows: rows.count)
    }
  }

  /// Says that no more rows come to the open parts.
  mutating func roll() {
    isChanged = isChanged || !open.isEmpty
    for file in open { file.complete() }
    complete += open
    open = []
    begun = nil
  }

  /// Makes all rows durable; the parts as they may be committed, where they have changed.
  func synchronize() throws(StateFailure) -> [LedgerPart] {
    guard isChanged else { return [] }
    if !Sabotage.noPartSync.isOn { for file in complete + open { try file.synchronize() } }
    return (complete + open).map(\.part)
  }

  /// Gives the complete parts their names: only when that they are complete is committed.
  mutating func publish() throws(StateFailure) {
    for file in complete { try file.publish() }
    complete = []
    isChanged = false
  }
}
