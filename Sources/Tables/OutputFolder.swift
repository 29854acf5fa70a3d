package import DurableFiles
package import Ledger
internal import Glibc

/// The locked folder of the tables. No other process may write to it at the same time, and it belongs to one state.
package final class OutputFolder {
  /// The path of the folder.
  package let path: String
  private let lock: Int32

  /// Makes the folder and its parents if they do not exist, locks it, and checks that it is the output of the ledger
  /// with these parts. A new folder gets the output's id before anything is committed. Throws `.cannotCreate` if it has parts that
  /// the ledger does not know.
  package convenience init(_ path: String, of ledger: Ledger, _ parts: [LedgerPart]) throws(FileFailure) {
    if ledger.output.isMarked, try DurableFolder(path).byteCount(of: ".") == nil { throw .notOutput(path, of: ledger) }
    try self.init(path)
    try claim(for: ledger, parts)
    try removeUncommitted(parts, of: ledger)
  }

  private init(_ path: String) throws(FileFailure) {
    self.path = path
    _ = try DurableFolder(making: path)
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw .system(.cannotCreate, path, "The directory cannot be opened") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw FileFailure(.locked, path, "Another process is writing to this directory", advice: "Wait for it to end")
    }
  }

  deinit {
    if lock >= 0 { close(lock) }
  }

  /// Throws `.damaged` if the folder or its id was removed, moved or replaced.
  package func verifyName() throws(FileFailure) {
    try NamedFile(path, descriptor: lock).verify()
    guard try DurableFolder(path).byteCount(of: OutputID.fileName) != nil else {
      throw .damaged("\(path)/\(OutputID.fileName)", "The file was removed while the directory was in use")
    }
  }

  /// Throws if a folder is the output of another state, and there is no state in `state`: a new one could not be used, and
  /// would be in the way of the one that is put back.
  package static func refuseNewState(in state: String, of path: String) throws(FileFailure) {
    guard try DurableFolder(state).byteCount(of: Ledger.name) == nil, let id = try OutputID.read(in: path) else {
      return
    }
    throw .withoutState(path, id, "\(state) holds no state")
  }

  /// Returns the open parts that a state has, and whose committed rows are missing in the folder of the tables; none if the
  /// state cannot be read.
  package static func missingParts(of state: String, in path: String) -> [LedgerPart] {
    let parts = (try? Ledger.reading(state))?.parts ?? []
    return parts.filter { part in
      let folder = DurableFolder("\(path)/\(part.folder)")
      return part.phase == .open && part.rows > 0 && (try? folder.byteCount(of: part.hiddenName)) == .some(nil)
    }
  }

  /// Reads the ledger of the state of an output, without the lock of either.
  ///
  /// - Throws: A failure if the state is that of another output, or does not know parts of this one.
  package static func reading(
    _ path: String,
    state: String,
    readsReprocessed: Bool = false
  ) throws(FileFailure) -> LedgerReading {
    let reading = try Ledger.reading(state, readsReprocessed: readsReprocessed)
    if let id = reading.outputID, let found = try OutputID.read(in: path), found != id {
      throw .otherOutput(path, of: state)
    }
    try refuseUnknownParts(in: path, of: state, reading)
    return reading
  }

  /// Throws if a folder has complete parts that the ledger of its state does not know, or had parts removed by a commit that it does
  /// not have, as after a restore of the state alone: what is made of the rows that it knows would lack theirs. Needs no lock: a
  /// part that is published meanwhile is known to a later reading of the ledger, and one that is removed is pending there, or gone.
  package static func refuseUnknownParts(
    in path: String,
    of state: String,
    _ reading: LedgerReading
  ) throws(FileFailure) {
    // A part has its name only after the commit that completes it.
    func places(_ parts: [LedgerPart]) -> Set<String> {
      Set(parts.filter { $0.phase == .complete }.map { "\($0.folder)/\($0.name)" })
    }
    let complete = try entries(of: path).filter { LedgerPart.isComplete($0.name) }.map { "\($0.folder)/\($0.name)" }
    var unknown = Set(complete).subtracting(places(reading.parts))
    guard !unknown.isEmpty else {
      return try RemovalMark.refuseOlderState(path, state, reading.parts) { mark throws(FileFailure) in
        try Ledger.has(mark, state)
      }
    }
    let later = try Ledger.reading(state)
    unknown.subtract(places(later.parts + later.pendingRemovals))
    var names: [String] = []
    for name in unknown.sorted() where try DurableFolder(path).byteCount(of: name) != nil { names.append(name) }
    guard names.isEmpty else { throw .unknownParts(names, in: path) }
  }

  /// Returns the entries in the folders of all tables and of their partitions.
  private static func entries(of path: String) throws(FileFailure) -> [(folder: String, name: String)] {
    var entries: [(folder: String, name: String)] = []
    for table in Table.all where try DurableFolder("\(path)/\(table.name)").byteCount(of: ".") != nil {
      entries += try Partitioning.entries(of: "\(path)/\(table.name)").map { partition, name in
        (partition.isEmpty ? table.name : "\(table.name)/\(partition)", name)
      }
    }
    return entries
  }

  private func claim(for ledger: Ledger, _ parts: [LedgerPart]) throws(FileFailure) {
    let found = try OutputID.read(in: path)
    if let found, found != ledger.output.id {
      let isNew = "the state in \(ledger.folder.path) is new and has written nothing"
      throw parts.isEmpty ? .withoutState(path, found, isNew) : .otherOutput(path, found, ledger)
    }
    if parts.isEmpty {
      for table in Table.all where try hasParts(of: table) { throw .unknownTables("\(path)/\(table.name)", ledger) }
    }
    guard !ledger.output.isMarked || found == nil else { return }
    if found == nil {
      // A state of a version without ids is adopted, once, by the folder that has what it has written.
      if ledger.output.isMarked { throw .notOutput(path, of: ledger) }
      if !parts.isEmpty, try !holdsOne(of: parts) { throw .notOutput(path, of: ledger) }
      try ledger.output.id.write(in: DurableFolder(path))
    }
    try ledger.markOutput()
  }

  /// Removes what a crash has left of rows that were never committed: hidden parts that the ledger does not have, and what
  /// is behind the committed bytes of open ones. The rows are written again from their input, perhaps under another
  /// number, and nobody looks for a person in the rest.
  private func removeUncommitted(_ parts: [LedgerPart], of ledger: Ledger) throws(FileFailure) {
    func places(_ part: LedgerPart) -> [String] {
      (part.phase == .complete ? part.fileNames : part.unfinishedNames).map { "\(part.folder)/\($0)" }
    }
    let known = Set(parts.flatMap(places))
    let others = try Self.entries(of: path).filter { !known.contains("\($0.folder)/\($0.name)") }
    let unknown = others.filter { LedgerPart.isComplete($0.name) }.map { "\($0.folder)/\($0.name)" }.sorted()
    // A complete part has its name only after its commit, so no crash leaves it.
    guard unknown.isEmpty else { throw .unknownParts(unknown, in: path) }
    try RemovalMark.refuseOlderState(path, ledger.folder.path, parts, ledger.has)
    for (folder, name) in others where LedgerPart.isUnfinished(name) {
      try DurableFolder("\(path)/\(folder)").remove(name)
      try DurableFolder("\(path)/\(folder)").synchronize()
    }
    for part in parts where part.phase == .open {
      let folder = DurableFolder("\(path)/\(part.folder)")
      guard let length = try folder.byteCount(of: part.hiddenName), length > part.length else { continue }
      try DurableFile("\(folder.path)/\(part.hiddenName)", .updating).truncate(to: part.length)
    }
  }

  /// Tells if the folder holds at least one of the parts with its committed length and checksum. Parts with rows are
  /// preferred to empty ones. The other parts may have been moved away.
  private func holdsOne(of parts: [LedgerPart]) throws(FileFailure) -> Bool {
    let withRows = parts.filter { $0.rows > 0 }
    for part in (withRows.isEmpty ? parts : withRows).reversed() {
      let folder = DurableFolder("\(path)/\(part.folder)")
      for name in [part.name, part.hiddenName] {
        guard let length = try folder.byteCount(of: name), length >= part.length else { continue }
        let file = try DurableFile("\(folder.path)/\(name)", .reading)
        if try file.readPrefix(part.length)?.value == part.checksum { return true }
      }
    }
    return false
  }

  /// Tells if the table has parts that are visible to readers.
  func hasParts(of table: Table) throws(FileFailure) -> Bool {
    try Partitioning.entries(of: "\(path)/\(table.name)").contains { $0.name.hasPrefix(LedgerPart.namePrefix) }
  }

  /// Tells if the hidden file of a part exists. A part is hidden until it is published under its name.
  func hasHidden(_ part: LedgerPart) throws(FileFailure) -> Bool {
    try DurableFolder("\(path)/\(part.folder)").byteCount(of: part.hiddenName) != nil
  }
}

extension FileFailure {
  /// The folder is the output of a state that is not there.
  fileprivate static func withoutState(_ path: String, _ found: OutputID, _ finding: String) -> FileFailure {
    FileFailure(
      .incompatible,
      path,
      "This directory is the output \(found), and \(finding)",
      advice: "Restore the state of this output, give its directory with --state, or give --out another directory"
    )
  }

  /// The folder has the id of another output.
  fileprivate static func otherOutput(_ path: String, _ found: OutputID, _ ledger: Ledger) -> FileFailure {
    FileFailure(
      .incompatible,
      path,
      "This directory is the output \(found), and the state in \(ledger.folder.path) belongs to the output "
        + "\(ledger.output.id)",
      advice: "Give --out the directory that this state has written, or --state the one that belongs to this output"
    )
  }

  /// The folder has no id, and does not hold the parts that the state has written.
  fileprivate static func notOutput(_ path: String, of ledger: Ledger) -> FileFailure {
    FileFailure(
      .incompatible,
      path,
      """
      This directory is not the output of the state in \(ledger.folder.path), or was emptied: its file \
      \(OutputID.fileName) is missing
      """,
      advice: """
        Give --out the directory that this state has written, restore it, or begin anew with another --state. If it is \
        that directory and only its parts were moved away, write \(ledger.output.id) into \(path)/\(OutputID.fileName)
        """
    )
  }

  /// The folder holds parts with rows that the state does not have, as after a restore of the state alone.
  static func unknownParts(_ names: [String], in path: String) -> FileFailure {
    let rest = names.count > 12 ? " and \(names.count - 12) others, which postback state check names" : ""
    return FileFailure(
      .cannotCreate,
      path,
      """
      The ledger does not know \(names.count == 1 ? "1 part" : "\(names.count) parts") in the tables, as if the state were older than \
      these: \(names.prefix(12).joined(separator: ", "))\(rest)
      """,
      advice: """
        Restore the state of the same backup as the tables; or move all these files away, and give the inputs that came since the \
        backup of the state again
        """
    )
  }

  /// The folder holds tables, and the state has written none.
  fileprivate static func unknownTables(_ path: String, _ ledger: Ledger) -> FileFailure {
    FileFailure(
      .cannotCreate,
      path,
      "The directory holds tables that the state in \(ledger.folder.path) has not written",
      advice: "Give --out another directory, or remove this one"
    )
  }
}
