package import DurableFiles
package import Ledger
internal import Glibc

/// A copy of the tables and the state of one moment, made while their consumer may go on.
///
/// The ledger is copied first, in one transaction. Then the files follow, up to the lengths that it has: they only grow. A part
/// that is removed meanwhile belongs to an earlier ledger, so another pass begins with a newer one, and keeps what it can.
/// The copy has another name until all of it is durable.
package struct StateBackup {
  /// The ledger of the copy.
  package private(set) var ledger: LedgerReading
  /// The paths of complete parts that were moved away, and so are not in the copy.
  package private(set) var missing: [String] = []
  /// The entries of the folder of the tables that are no part of the copy.
  package private(set) var others: [String]
  /// The number of parts that are links to those of an earlier copy.
  package private(set) var linked = 0

  private let output: String
  private let target: String
  private let previous: String?
  /// The parts that an earlier copy has, by path in it.
  private let known: [String: LedgerPart]
  /// The parts that are copied, by path in the copy.
  private var copied: [String: LedgerPart] = [:]

  private static let mostPasses = 100

  /// Copies the tables in `output` with the state in a folder to `target`, which must not exist. Complete parts that the
  /// copy `previous` has too are links to its files, if it is given. First of all `copyDeliveries` copies the deliveries from
  /// the folder of the state to that of the copy, so that the ledger has all rows that they are of. `copyDerived` copies derived
  /// tables at the end, and returns the names of what is in the copy.
  package init(
    output: String,
    state: String,
    to target: String,
    linkingTo previous: String?,
    copyDeliveries: (_ state: String, _ target: String) throws(FileFailure) -> Void = { _, _ in },
    copyDerived: (_ output: String, _ target: String) throws(FileFailure) -> [String] = { _, _ in [] }
  ) throws(FileFailure) {
    guard try NamedFile(target) == nil else {
      throw FileFailure(.cannotCreate, target, "The file or directory exists", advice: "Give --to another name")
    }
    _ = try OutputFolder.reading(output, state: state)
    let hidden = "\(target).inprogress"
    self.output = output
    self.target = hidden
    self.previous = previous
    let parts =
      try previous.map { path throws(FileFailure) in try Ledger.reading(StateFolder.path(in: path)).parts } ?? []
    known = Dictionary(parts.map { (Self.path(of: $0), $0) }) { $1 }
    let tables = Set(Table.all.map(\.name))
    others = try DurableFolder(output).names().filter { name in
      !tables.contains(name) && !name.hasPrefix(StateFolder.name)
        && ![OutputID.fileName, RemovalMark.fileName].contains(name)
    }
    // Another backup to the same place is kept out.
    let copy = try StateFolder(StateFolder.path(in: hidden))
    defer { withExtendedLifetime(copy) {} }
    try copyDeliveries(state, copy.folder.path)
    ledger = try Ledger.copy(state, to: copy.folder)
    var passes = 1
    while try !copyFiles(state, to: copy.folder) {
      guard passes < Self.mostPasses, try Ledger.reading(state).commits > ledger.commits else {
        throw .damaged(state, "The logs of the state or the tables do not have the checksums of the ledger")
      }
      passes += 1
      ledger = try Ledger.copy(state, to: copy.folder)
    }
    // Behind the ledger, so that the days are whole whose rows it does not have any more.
    let derived = try copyDerived(output, hidden)
    others.removeAll { derived.contains($0) }
    try RemovalMark.copy(output, copy.folder.path, to: hidden)
    try finish(copy.folder, as: target)
  }

  private static func path(of part: LedgerPart) -> String {
    "\(part.folder)/\(part.phase == .open ? part.hiddenName : part.name)"
  }

  /// Copies what the ledger has. Returns false if a file of it has changed since.
  private mutating func copyFiles(_ state: String, to folder: DurableFolder) throws(FileFailure) -> Bool {
    guard try ledger.copyLogs(from: state, to: folder) else { return false }
    missing = []
    var current: [LedgerPart]?
    for part in ledger.parts where copied[Self.path(of: part)] != part {
      if try link(part) { continue }
      switch try copy(part) {
      case .copied: copied[Self.path(of: part)] = part
      case .absent, .different:
        if current == nil { current = try Ledger.reading(state).parts }
        guard current?.contains(part) == true else { return false }
        // A complete part may be moved away, as before a start.
        guard part.phase == .complete, try part.path(in: output) == nil else {
          throw .damaged("\(output)/\(Self.path(of: part))", "The file is missing, or is not as it was committed")
        }
        missing.append("\(output)/\(Self.path(of: part))")
      }
    }
    return true
  }

  private enum Outcome {
    case copied, absent, different
  }

  private func copy(_ part: LedgerPart) throws(FileFailure) -> Outcome {
    let file: DurableFile
    do throws(FileFailure) {
      guard let path = try part.path(in: output) else { return .absent }
      file = try DurableFile(path, .reading)
    } catch {
      // It was renamed or removed in between.
      guard error.code == ENOENT else { throw error }
      return .different
    }
    let path = "\(target)/\(Self.path(of: part))"
    // A file that an interrupted backup has left may be a link to that of an earlier one.
    try DurableFolder(making: "\(target)/\(part.folder)").remove(part.phase == .open ? part.hiddenName : part.name)
    let copy = try DurableFile(path, .creating)
    let checksum = try file.readPrefix(part.length) { bytes throws(FileFailure) in try copy.append(bytes) }
    guard checksum?.value == part.checksum else { return .different }
    try copy.keepTime(of: file)
    try copy.synchronize()
    return .copied
  }

  /// Makes a link to the file of the earlier copy, if it has the same part. Returns false if it has not.
  private mutating func link(_ part: LedgerPart) throws(FileFailure) -> Bool {
    let name = Self.path(of: part)
    guard let previous, part.phase == .complete, known[name] == part else { return false }
    let (old, new) = ("\(previous)/\(name)", "\(target)/\(name)")
    guard try DurableFolder("\(previous)/\(part.folder)").byteCount(of: part.name) == part.length else { return false }
    let folder = try DurableFolder(making: "\(target)/\(part.folder)")
    try folder.remove(part.name)
    guard unsafe Glibc.link(old, new) == 0 else {
      throw .system(.cannotCreate, new, "The file cannot be linked to that of the earlier copy")
    }
    linked += 1
    copied[name] = part
    return true
  }

  /// Removes what earlier passes have left, makes all names durable, and gives the copy its own.
  private func finish(_ state: DurableFolder, as name: String) throws(FileFailure) {
    let wanted = Set(ledger.parts.map { Self.path(of: $0) })
    for table in Table.all {
      let path = "\(target)/\(table.name)"
      for entry in try Partitioning.entries(of: path) {
        let inside = entry.partition.isEmpty ? "" : "/\(entry.partition)"
        let folder = DurableFolder(path + inside)
        if !wanted.contains("\(table.name)\(inside)/\(entry.name)") { try folder.remove(entry.name) }
        try folder.synchronize()
      }
    }
    let folder = DurableFolder(target)
    if let id = ledger.outputID { try id.write(in: folder) }
    try state.synchronize()
    try folder.synchronize()
    let parts = name.split(separator: "/", omittingEmptySubsequences: true)
    let above = (name.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
    let last = parts.last.map(String.init) ?? name
    try DurableFolder(above.isEmpty ? "." : above).rename("\(last).inprogress", to: last)
  }
}
