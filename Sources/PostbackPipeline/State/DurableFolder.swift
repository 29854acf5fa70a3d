internal import Glibc

/// A folder whose entries can be made durable.
struct DurableFolder: Sendable {
  /// The path of the folder.
  let path: String

  /// Takes the path of an existing folder, without checking it.
  init(_ path: String) { self.path = path }

  /// Creates the folder and missing folders above it, durably.
  init(making path: String) throws(StateFailure) {
    self.path = path
    try Self.make(path)
  }

  /// Makes the entries of the folder durable: its files' names, not their content.
  func synchronize() throws(StateFailure) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.io, path, "cannot be opened as a folder") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(.io, path, "cannot be made durable") }
  }

  /// Renames a file of the folder, durably. Replaces a file that has the new name.
  func rename(_ name: String, to newName: String) throws(StateFailure) {
    guard unsafe Glibc.rename("\(path)/\(name)", "\(path)/\(newName)") == 0 else {
      throw .system(.io, "\(path)/\(name)", "cannot be renamed to \(newName)")
    }
    try synchronize()
  }

  /// Removes a file, if it exists. The removal is not durable.
  func remove(_ name: String) throws(StateFailure) {
    guard unsafe unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
      throw .system(.io, "\(path)/\(name)", "cannot be removed")
    }
  }

  /// Returns the length of a file in bytes; nil if there is no file of that name.
  func byteCount(of name: String) throws(StateFailure) -> Int64? {
    var status = stat()
    if unsafe lstat("\(path)/\(name)", &status) == 0 { return Int64(status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else { throw .system(.io, "\(path)/\(name)", "cannot be looked at") }
    return nil
  }

  /// Returns the names of the entries in the folder, sorted; empty if the folder does not exist.
  func names() throws(StateFailure) -> [String] {
    guard try byteCount(of: ".") != nil else { return [] }
    do { return try Directory.names(in: path) } catch { throw StateFailure(.io, path, error.reason) }
  }

  private static func make(_ path: String) throws(StateFailure) {
    if unsafe mkdir(path, 0o777) != 0 {
      if errno == EEXIST { return }
      guard errno == ENOENT, let above = parent(of: path), above != path else {
        throw .system(.cannotCreate, path, "cannot be created")
      }
      try make(above)
      guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else {
        throw .system(.cannotCreate, path, "cannot be created")
      }
    }
    if let above = parent(of: path) { try DurableFolder(above).synchronize() }
  }

  private static func parent(of path: String) -> String? {
    let names = path.split(separator: "/")
    guard names.count > 0 else { return nil }
    let above = names.dropLast().joined(separator: "/")
    return path.hasPrefix("/") ? "/" + above : above.isEmpty ? "." : above
  }
}
