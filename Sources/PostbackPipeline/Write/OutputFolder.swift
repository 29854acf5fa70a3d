internal import Glibc

/// The folder for the tables of a run, which no other run may use meanwhile. Folders that are empty when it goes away are
/// removed, if they were made for it.
final class OutputFolder {
  private let path: String
  private var tables: [String] = []
  private var made: [String] = []
  private var lock: Int32 = -1

  /// Makes the folder, and those above it, and locks it.
  init(_ path: String) throws(WriteFailure) {
    self.path = path
    try make(path)
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw .system(.cannotCreate, path, "cannot be opened as a folder") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw WriteFailure(kind: .isLocked, path: path, reason: "another run is writing there; wait for it to end")
    }
  }

  deinit {
    for folder in made.reversed() { unsafe rmdir(folder) }
    if lock >= 0 { close(lock) }
  }

  /// Makes the folder of a table. Refuses one that holds a table already.
  func add(_ table: Table) throws(WriteFailure) {
    let folder = "\(path)/\(table.name)"
    try make(folder)
    let names: [String]
    do throws(ReadFailure) { names = try Directory.names(in: folder) } catch {
      throw WriteFailure(kind: .cannotCreate, path: folder, reason: error.reason)
    }
    guard !names.contains(where: { $0.hasPrefix("part-") }) else {
      throw WriteFailure(
        kind: .cannotCreate,
        path: folder,
        reason: "holds tables of another run; give --out another folder, or remove that one"
      )
    }
    tables.append(folder)
  }

  /// Makes durable which files and folders there are.
  func synchronize() throws(WriteFailure) {
    let above = made.map { folder in folder.lastIndex(of: "/").map { String(folder[..<$0]) + "/" } ?? "." }
    for folder in Set(tables + [path] + above) {
      let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system(.io, folder, "cannot be opened") }
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw .system(.io, folder, "cannot be made durable") }
    }
  }

  private func make(_ folder: String) throws(WriteFailure) {
    if unsafe mkdir(folder, 0o777) == 0 { return made.append(folder) }
    if errno == EEXIST { return }
    guard errno == ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else {
      throw .system(.cannotCreate, folder, "cannot be created")
    }
    try make(String(folder[..<slash]))
    if unsafe mkdir(folder, 0o777) == 0 { return made.append(folder) }
    guard errno == EEXIST else { throw .system(.cannotCreate, folder, "cannot be created") }
  }
}
