internal import DurableFiles
package import Ledger

/// A check of the tables and the state against everything that is committed. Changes nothing.
package struct StateCheck {
  /// The problems: a sentence each, with the file and the advice.
  package private(set) var problems: [String] = []
  /// The harmless findings, a sentence each.
  package private(set) var notes: [String] = []

  private let output: String
  private let folder: DurableFolder

  /// Checks the tables in `output` against the state in a folder. The folder must be locked, because a file that is
  /// being written may look wrong.
  package init(output: String, state: StateFolder) {
    self.output = output
    folder = state.folder
    guard let ledger = take(Result { () throws(FileFailure) in try Ledger.reading(state.path, isVerified: true) })
    else { return }
    if let id = ledger.outputID {
      let found = take(Result { () throws(FileFailure) in try OutputID.read(in: output) })
      if let found, found != id {
        let event = found.map { "is the output \($0)" } ?? "has no file \(OutputID.fileName)"
        problems.append(
          "\(output): The directory \(event), and the state belongs to the output \(id). Check --out and --state."
        )
      }
    }
    var rows = ledger.removedKeys
    for part in ledger.parts {
      let keys = take(Result { () throws(FileFailure) in try verifiedKeys(of: part) })
      if let keys, part.table == Table.postbacks.name { rows[part.format, default: KeyTally()] += keys }
    }
    // The keys of a damaged file would not agree with the log in any case.
    let areRowsSound = problems.isEmpty
    for table in Set(Table.all.map(\.name) + ledger.parts.map(\.table)).sorted() {
      let parts = ledger.parts.filter { $0.table == table }
      let gone = ledger.pendingRemovals.filter { $0.table == table }
      for part in gone {
        notes.append("\(output)/\(part.folder)/\(part.name): is being removed; the next run finishes that")
      }
      let names = take(Result { () throws(FileFailure) in try Partitioning.entries(of: "\(output)/\(table)") }) ?? []
      for (partition, names) in Dictionary(grouping: names, by: \.partition) {
        let folder = partition.isEmpty ? table : "\(table)/\(partition)"
        checkNames(names.map(\.name), in: folder, (parts + gone).filter { $0.partition == partition })
      }
    }
    if ledger.state.compaction != nil {
      notes.append("\(folder.path)/\(SeenLog.name): is being compacted; the next run finishes that")
    }
    let seen = take(Result { () throws(FileFailure) in try seenKeys(ledger) })
    if let seen, areRowsSound { compare(seen, with: rows) }
    _ = take(Result { () throws(FileFailure) in try ArchivedInputs.verify(ledger.state.putAway, in: folder) })
  }

  /// Adds problems of other files.
  package mutating func add(problems others: [String]) { problems += others }

  /// Returns the value of a result; for a failure adds a problem and returns nil.
  private mutating func take<Value>(_ result: Result<Value, FileFailure>) -> Value? {
    switch result {
    case .success(let value): return value
    case .failure(let failure):
      problems.append("\(failure)")
      return nil
    }
  }

  /// Returns the keys of the rows of a part, none unless it is a part of `skan_postbacks`. Throws `.damaged` if the
  /// part is not as it was committed.
  private func verifiedKeys(of part: LedgerPart) throws(FileFailure) -> KeyTally {
    let table = DurableFolder("\(output)/\(part.folder)")
    // A complete part may still be hidden: the next run publishes it.
    let isPublished = try table.byteCount(of: part.name) != nil
    let isReplaced = part.isRewritten ? try table.byteCount(of: part.rewrittenName) != nil : false
    let name = isReplaced ? part.rewrittenName : part.phase == .open || !isPublished ? part.hiddenName : part.name
    let path = "\(table.path)/\(name)"
    guard let byteCount = try table.byteCount(of: name) else {
      throw .damaged("\(table.path)/\(part.phase == .open ? part.hiddenName : part.name)", "The file is missing")
    }
    var column = KeyColumn(part.format)
    let hasKeys = part.table == Table.postbacks.name
    try PartFile.verify(try DurableFile(path, .reading), part) { bytes throws(FileFailure) in
      if hasKeys { column.take(bytes) }
    }
    guard part.phase == .open || byteCount == part.length else {
      throw .damaged(path, "The file has \(byteCount) bytes, and \(part.length) are committed")
    }
    guard column.rowsWithoutKey == 0 else {
      throw .damaged(path, "The file has \(column.rowsWithoutKey) rows that do not begin with a key")
    }
    return column.keys
  }

  /// Looks for parts that the ledger does not have. A visible one is a problem, a hidden one a note.
  private mutating func checkNames(_ names: [String], in folder: String, _ parts: [LedgerPart]) {
    let known = Set(parts.flatMap { $0.phase == .complete ? $0.fileNames : $0.unfinishedNames })
    for name in names where !known.contains(name) {
      let path = "\(output)/\(folder)/\(name)"
      if name.hasPrefix(LedgerPart.namePrefix) {
        problems.append("\(path): The file exists, but the ledger does not have it as complete. Move it away.")
      } else if name.hasPrefix(".\(LedgerPart.namePrefix)") {
        notes.append("\(path): The file was not committed. The next run removes it.")
      }
    }
  }

  /// Returns the keys of all first postbacks, including those that compactions have dropped.
  private func seenKeys(_ ledger: LedgerReading) throws(FileFailure) -> KeyTally {
    var (name, mark, keys) = (SeenLog.name, ledger.seen, ledger.state.retired)
    if let compaction = ledger.state.compaction {
      keys += compaction.dropped
      mark = compaction.mark
      if try folder.byteCount(of: SeenLog.newName) != nil { name = SeenLog.newName }
    }
    // Before the first commit the log may not exist yet.
    if mark.entries == 0, try folder.byteCount(of: name) == nil { return keys }
    let log = try SeenFile(name, in: folder, .reading)
    // Positions in the new file of a compaction begin at 0 again.
    let forgotten = ledger.state.compaction == nil ? ledger.state.forgotten : SeenMark()
    let segments = try SeenSegments(folder, from: forgotten, to: mark.entries, isReading: true)
    func add(_ words: Span<UInt64>) {
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        keys.add(SeenEntry(words, at: start).seen.key)
      }
    }
    let retired = keys
    let middle = try log.read(from: forgotten, to: segments.end.entries) { add($0) }
    var indexed = try segments.keys()
    indexed += retired
    if ledger.state.compaction == nil, middle != segments.end || indexed != keys {
      throw FileFailure(
        .damaged,
        folder.path,
        "The files \(SeenSegments.pattern) are not made of \(SeenLog.name)",
        advice: "Remove them, and the next start makes them anew"
      )
    }
    guard try log.read(from: middle, to: mark.entries, { add($0) }) == mark else { throw log.damaged(mark) }
    return keys
  }

  /// Compares the keys of `seen.log` with those of the rows in each format. Adds a problem for each difference.
  private mutating func compare(_ seen: KeyTally, with rows: [TableFormat: KeyTally]) {
    for (format, keys) in rows.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where keys != seen {
      let failure = FileFailure.damaged(
        "\(folder.path)/\(SeenLog.name)",
        """
        The log has \(seen.count) postbacks, and they are not those of the \(keys.count) rows in \
        \(output)/\(Table.postbacks.name) (\(format.rawValue))
        """
      )
      problems.append("\(failure)")
    }
    if rows.isEmpty, seen.count > 0 {
      problems.append(
        "\(folder.path)/\(SeenLog.name): The log has \(seen.count) postbacks, and \(Table.postbacks.name) has no part."
      )
    }
  }
}
