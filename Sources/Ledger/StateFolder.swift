package import DurableFiles

/// The folder of the state, locked for this process as long as the object lives.
package final class StateFolder {
  /// The path of the folder.
  package let path: String
  /// The locked folder.
  package let folder: DurableFolder
  private let lock: LockFile

  /// The name of the folder in an output that has its state.
  package static let name = "_state"
  private static let lockName = "lock"

  /// The path of the state in an output.
  package static func path(in output: String) -> String { "\(output)/\(name)" }

  /// Creates the folder and missing folders above it, and locks it. Throws `.locked` if another process has the lock.
  package convenience init(_ path: String) throws(FileFailure) { try self.init(try DurableFolder(making: path)) }

  /// Locks the folder of an existing state. Throws `.noState` if there is none.
  package convenience init(existing path: String) throws(FileFailure) {
    let folder = DurableFolder(path)
    guard try folder.byteCount(of: Ledger.name) != nil else { throw .noState(path) }
    try self.init(folder)
  }

  /// Locks the folder of an existing state to read it, also where this process may not write.
  package init(reading path: String) throws(FileFailure) {
    let folder = DurableFolder(path)
    guard try folder.byteCount(of: Ledger.name) != nil else { throw .noState(path) }
    (self.folder, self.path) = (folder, path)
    lock = try LockFile(reading: "\(path)/\(Self.lockName)") { .inUse(path, by: $0) }
  }

  private init(_ folder: DurableFolder) throws(FileFailure) {
    self.folder = folder
    path = folder.path
    lock = try LockFile("\(folder.path)/\(Self.lockName)") { .inUse(folder.path, by: $0) }
  }

  /// Returns a description of the process that uses a folder now, from its lock file; nil if none does. Creates no
  /// file.
  package static func user(of path: String) throws(FileFailure) -> String? {
    try LockFile.holder(of: "\(path)/\(lockName)")
  }
}

extension FileFailure {
  /// Returns the failure for the folder of a state that another process has locked.
  fileprivate static func inUse(_ folder: String, by holder: String) -> FileFailure {
    FileFailure(
      .locked,
      folder,
      "The state is in use by \(holder)",
      advice: "A consumer, watch or serve --watch, ends only when it is stopped. Wait for anything else to end"
    )
  }

  /// Returns the failure for a folder without a state.
  static func noState(_ folder: String) -> FileFailure {
    FileFailure(.notFound, folder, "The directory holds no state (\(Ledger.name))", advice: "Check the path")
  }
}
