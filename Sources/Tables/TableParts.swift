package import DurableFiles
package import Ledger

/// The parts of one table that rows are written to: for each partition one in each format, with the same rows.
package struct TableParts {
  /// The parts of a partition to which rows are appended.
  private struct Open {
    var files: [PartFile] = []
    /// The time at which the parts were begun.
    var begun = ContinuousClock.Instant.now
    /// The number of the batch that has last appended rows.
    var used = 0

    var byteCount: Int64 { files.map(\.part.length).max() ?? 0 }
  }

  package let table: Table
  private let formats: [TableFormat]
  private let output: String
  private var open: [String: Open] = [:]
  /// The parts that are full and not published yet. They are published after the commit that records them as complete.
  private var complete: [PartFile] = []
  private var lastNumber = 0
  private var batches = 0
  /// The number of the first part that may hold rows of this process.
  package let firstNumber: Int
  /// Indicates that there are changes that the ledger does not record yet.
  package private(set) var isChanged = false

  /// The number of files of the table that are open at a time.
  private static let mostFiles = 256

  /// Restores the parts that the ledger records: complete ones are published, open ones are continued. `lastNumber` is
  /// the greatest number that a part of the table has or had.
  package init(
    _ table: Table,
    _ formats: Set<TableFormat>,
    in folder: OutputFolder,
    _ parts: [LedgerPart],
    lastNumber: Int
  ) throws(FileFailure) {
    self.table = table
    self.formats = TableFormat.allCases.filter(formats.contains)
    output = folder.path
    self.lastNumber = lastNumber
    for part in parts where part.table == table.name {
      switch part.phase {
      case .open:
        let file = try PartFile.reopen(part, in: output)
        if open.count * formats.count >= Self.mostFiles { try file.suspend() }
        open[part.partition, default: Open()].files.append(file)
      case .complete:
        // What is not hidden was published, and may have been taken away since.
        if try folder.hasHidden(part) { try PartFile.publish(part, in: output) }
      }
    }
    firstNumber = open.values.flatMap(\.files).map(\.part.number).min() ?? lastNumber + 1
  }

  /// Indicates that the table has no part yet.
  package var isEmpty: Bool { lastNumber == 0 }

  /// Begins new parts of a partition if none are open.
  package mutating func begin(_ partition: String = "") throws(FileFailure) {
    guard open[partition] == nil else { return }
    lastNumber += 1
    isChanged = true
    var parts = Open()
    for format in formats {
      let part = LedgerPart(table: table.name, format: format, number: lastNumber, partition: partition)
      let file = try PartFile.create(part, in: output)
      if format == .csv {
        let header = table.csvHeader
        try file.append(header, checksum: CRC32(of: header).value, rows: 0)
      }
      parts.files.append(file)
    }
    open[partition] = parts
  }

  /// Indicates that files may be closed before the next rows. All writes must be done by then.
  package var mayCloseFiles: Bool { (open.count + 1) * formats.count > Self.mostFiles }

  /// Gives rows their places in the open parts of their partition, and closes the parts if they have `limit` bytes or
  /// more. Returns the writes, which must be done before the next call of `synchronize`.
  package mutating func append(_ portion: TablePortion, limit: Int64) throws(FileFailure) -> [PartWrite] {
    guard portion.rows.count > 0 else { return [] }
    try begin(portion.partition)
    isChanged = true
    batches += 1
    open[portion.partition]?.used = batches
    try suspendOthers(than: portion.partition)
    var writes: [PartWrite] = []
    for file in open[portion.partition]?.files ?? [] {
      let format = file.part.format
      writes.append(
        try file.place(
          portion.rows[format],
          checksum: portion.checksums[format] ?? 0,
          rows: portion.rows.count,
          received: portion.received
        )
      )
    }
    if open[portion.partition].map({ $0.byteCount >= limit }) ?? false { roll(portion.partition) }
    return writes
  }

  /// Closes the files that were not written to for the longest time while too many are open.
  private func suspendOthers(than partition: String) throws(FileFailure) {
    guard open.count * formats.count > Self.mostFiles else { return }
    let active = open.filter { parts in parts.key != partition && parts.value.files.contains { !$0.isSuspended } }
    let surplus = (active.count + 1) * formats.count - Self.mostFiles
    guard surplus > 0 else { return }
    // A quarter at once, so that the files are not ranked for each portion.
    let idle = active.values.sorted { $0.used < $1.used }.prefix(surplus + active.count / 4)
    for file in idle.flatMap(\.files) { try file.suspend() }
  }

  /// Closes all open parts to further rows.
  package mutating func roll() {
    for partition in open.keys.sorted() { roll(partition) }
  }

  /// Closes the open parts that were begun at least `age` ago. Returns false if there are none.
  package mutating func roll(age: Duration) -> Bool {
    let old = open.filter { .now - $0.value.begun >= age }.keys.sorted()
    for partition in old { roll(partition) }
    return !old.isEmpty
  }

  private mutating func roll(_ partition: String) {
    guard let parts = open.removeValue(forKey: partition) else { return }
    isChanged = true
    for file in parts.files { file.complete() }
    complete += parts.files
  }

  private var changedFiles: [PartFile] {
    (complete + open.sorted { $0.key < $1.key }.flatMap(\.value.files)).filter(\.isChanged)
  }

  /// The files with rows that are not durable.
  package var filesToSynchronize: [DurableFile] {
    Failpoint.noPartSync.isOn ? [] : changedFiles.compactMap(\.fileToSynchronize)
  }

  /// Makes all rows durable. Returns the parts to commit; none if nothing has changed.
  package func synchronize() throws(FileFailure) -> [LedgerPart] {
    guard isChanged else { return [] }
    let files = changedFiles
    if !Failpoint.noPartSync.isOn { for file in files { try file.synchronize() } }
    return files.map(\.part)
  }

  /// Throws `.damaged` if a file with rows that are not published was removed, moved or replaced.
  package func verifyNames() throws(FileFailure) {
    for file in complete + open.values.flatMap(\.files) { try file.verifyName() }
  }

  /// Returns the parts that are complete and can no longer be published, because their files were removed.
  package func missingParts() throws(FileFailure) -> [LedgerPart] {
    var missing: [LedgerPart] = []
    for file in complete where try file.isMissing() { missing.append(file.part) }
    return missing
  }

  /// Publishes the complete parts under their names. Call it only after the commit that records them as complete.
  package mutating func publish() throws(FileFailure) {
    for file in complete { try file.publish() }
    for file in open.values.flatMap(\.files) { file.isChanged = false }
    complete = []
    isChanged = false
  }
}
