internal import Glibc

/// A folder whose entries can be made durable.
package struct DurableFolder: Sendable {
  /// The path of the folder.
  package let path: String

  /// Takes the path of an existing folder, without checking it.
  package init(_ path: String) { self.path = path }

  /// Creates the folder and missing folders above it, durably.
  package init(making path: String) throws(FileFailure) {
    self.path = path
    try Self.make(path)
  }

  /// Makes the entries of the folder durable: its files' names, not their content.
  package func synchronize() throws(FileFailure) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.io, path, "The directory cannot be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw .system(.io, path, "The entries of the directory cannot be made durable")
    }
  }

  /// Renames a file of the folder, durably. Replaces a file that has the new name.
  package func rename(_ name: String, to newName: String) throws(FileFailure) {
    guard unsafe Glibc.rename("\(path)/\(name)", "\(path)/\(newName)") == 0 else {
      throw .system(.io, "\(path)/\(name)", "The file cannot be renamed to \(newName)")
    }
    try synchronize()
  }

  /// Removes a file, if it exists. The removal is not durable.
  package func remove(_ name: String) throws(FileFailure) {
    guard unsafe unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
      throw .system(.io, "\(path)/\(name)", "The file cannot be removed")
    }
  }

  /// Returns the length of a file in bytes; nil if there is no file of that name.
  package func byteCount(of name: String) throws(FileFailure) -> Int64? {
    var status = stat()
    if unsafe lstat("\(path)/\(name)", &status) == 0 { return Int64(status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw .system(.io, "\(path)/\(name)", "The status of the file cannot be read")
    }
    return nil
  }

  /// Returns the names of the entries in the folder, sorted; empty if the folder does not exist.
  package func names() throws(FileFailure) -> [String] {
    guard try byteCount(of: ".") != nil else { return [] }
    do { return try Directory.names(in: path) } catch {
      throw FileFailure(.io, path, error.event, code: error.code, advice: error.advice)
    }
  }

  private static func make(_ path: String) throws(FileFailure) {
    if unsafe mkdir(path, 0o777) != 0 {
      if errno == EEXIST { return }
      guard errno == ENOENT, let above = parent(of: path), above != path else {
        throw .system(.cannotCreate, path, "The directory cannot be created")
      }
      try make(above)
      guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else {
        throw .system(.cannotCreate, path, "The directory cannot be created")
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
