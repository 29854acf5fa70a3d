package import DurableFiles
package import Ledger

/// The parts of one table that rows are written to: one for each format, with the same rows.
package struct TableParts {
  /// The table.
  package let table: Table
  private let formats: [TableFormat]
  private let output: String
  private var open: [PartFile] = []
  /// The parts that are full and not published yet. They are published after the commit that records them as complete.
  private var complete: [PartFile] = []
  private var lastNumber = 0
  /// The number of the first part that may hold rows of this process.
  package let firstNumber: Int
  /// Indicates that there are changes that the ledger does not record yet.
  package private(set) var isChanged = false
  /// The time at which the open parts were begun.
  private var begun: ContinuousClock.Instant?

  /// Restores the parts that the ledger records: complete ones are published, open ones are continued.
  package init(_ table: Table, _ formats: Set<TableFormat>, in folder: OutputFolder, _ parts: [LedgerPart])
    throws(FileFailure)
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

  /// Indicates that the table has no part yet.
  package var isEmpty: Bool { lastNumber == 0 }

  /// The length of the longest open part in bytes.
  package var byteCount: Int64 { open.map(\.part.length).max() ?? 0 }

  /// The time since the open parts were begun; zero if there are none.
  package var age: Duration { begun.map { .now - $0 } ?? .zero }

  /// Begins new parts if none are open.
  package mutating func begin() throws(FileFailure) {
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
  package mutating func append(_ rows: EncodedRows, _ checksums: [TableFormat: UInt32]) throws(FileFailure) {
    guard rows.count > 0 else { return }
    try begin()
    isChanged = true
    for file in open {
      try file.append(rows[file.part.format], checksum: checksums[file.part.format] ?? 0, rows: rows.count)
    }
  }

  /// Closes the open parts to further rows.
  package mutating func roll() {
    isChanged = isChanged || !open.isEmpty
    for file in open { file.complete() }
    complete += open
    open = []
    begun = nil
  }

  /// Makes all rows durable. Returns the parts to commit; none if nothing has changed.
  package func synchronize() throws(FileFailure) -> [LedgerPart] {
    guard isChanged else { return [] }
    if !Failpoint.noPartSync.isOn { for file in complete + open { try file.synchronize() } }
    return (complete + open).map(\.part)
  }

  /// Publishes the complete parts under their names. Call it only after the commit that records them as complete.
  package mutating func publish() throws(FileFailure) {
    for file in complete { try file.publish() }
    complete = []
    isChanged = false
  }
}
