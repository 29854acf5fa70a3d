internal import DurableFiles

/// The folder of a ledger and the files of its database, as they were when it was opened.
struct LedgerFiles: Sendable {
  private let names: [NamedFile]

  /// Notes the files of an open database in a folder.
  init(_ folder: DurableFolder) throws(FileFailure) {
    let path = "\(folder.path)/\(Ledger.name)"
    var names: [NamedFile] = []
    for path in [folder.path, path, "\(path)-wal", "\(path)-shm"] {
      if let name = try NamedFile(path) { names.append(name) }
    }
    self.names = names
  }

  /// Throws `.damaged` if one of them was removed, moved or replaced since: what is committed then is lost.
  func verifyNames() throws(FileFailure) {
    for name in names { try name.verify() }
  }
}
