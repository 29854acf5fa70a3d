package import DurableFiles

/// The folder of the state, locked for this process as long as the object lives.
package final class StateFolder {
  /// The path of the folder.
  package let path: String
  /// The locked folder.
  package let folder: DurableFolder
  private let lock: LockFile

  private static let lockName = "lock"

  /// Creates the folder and missing folders above it, and locks it. Throws `.locked` if another process has the lock.
  package convenience init(_ path: String) throws(FileFailure) { try self.init(try DurableFolder(making: path)) }

  /// Locks the folder of an existing state. Throws `.noState` if there is none.
  package convenience init(existing path: String) throws(FileFailure) {
    let folder = DurableFolder(path)
    guard try folder.byteCount(of: Ledger.name) != nil else { throw .noState(path) }
    try self.init(folder)
  }

  private init(_ folder: DurableFolder) throws(FileFailure) {
    self.folder = folder
    path = folder.path
    lock = try LockFile("\(folder.path)/\(Self.lockName)") { holder in
      FileFailure(
        .locked,
        folder.path,
        "The state is in use by \(holder)",
        advice: "Wait for it to end, or give --state another directory"
      )
    }
  }

  /// Returns a description of the process that uses a folder now, from its lock file; nil if none does. Creates no
  /// file.
  package static func user(of path: String) throws(FileFailure) -> String? {
    try LockFile.holder(of: "\(path)/\(lockName)")
  }
}

extension FileFailure {
  /// Returns the failure for a folder without a state.
  static func noState(_ folder: String) -> FileFailure {
    FileFailure(.notFound, folder, "The directory holds no state (\(Ledger.name))", advice: "Check the path")
  }
}
