internal import Glibc

/// A folder whose entries can be made durable.
struct DurableFolder: Sendable {
  /// Where it is.
  let path: String

  /// A folder that is there.
  init(_ path: String) { self.path = path }

  /// Makes the folder, and those above it, where they are not there; what was made is durable.
  init(making path: String) throws(StateFailure) {
    self.path = path
    try Self.make(path)
  }

  /// Makes durable which files there are.
  func synchronize() throws(StateFailure) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.io, path, "cannot be opened as a folder") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(.io, path, "cannot be made durable") }
  }

  /// Gives a file of the folder another name, durably.
  func rename(_ name: String, to newName: String) throws(StateFailure) {
    guard unsafe Glibc.rename("\(path)/\(name)", "\(path)/\(newName)") == 0 else {
      throw .system(.io, "\(path)/\(name)", "cannot be renamed to \(newName)")
    }
    try synchronize()
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws(StateFailure) {
    guard unsafe unlink("\(path)/\(name)") == 0 || errno == ENOENT else {
      throw .system(.io, "\(path)/\(name)", "cannot be removed")
    }
  }

  /// The length of a file; nil where there is none of that name.
  func byteCount(of name: String) throws(StateFailure) -> Int64? {
    var status = stat()
    if unsafe lstat("\(path)/\(name)", &status) == 0 { return Int64(status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else { throw .system(.io, "\(path)/\(name)", "cannot be looked at") }
    return nil
  }

  /// The names of what is in the folder, sorted; none where there is no folder.
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
