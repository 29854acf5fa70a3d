internal import CLinux
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

  /// Creates the folder, durably, in the one above it, which must be there. A folder that exists stays.
  package func makeAlone() throws(FileFailure) {
    guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw .system(.cannotCreate, path, "The directory cannot be created")
    }
    if let above = Self.parent(of: path) { try DurableFolder(above).synchronize() }
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

  /// Gives a file a further name at another path. Where the file system has no such links, or not across folders, the file is
  /// copied. Neither is durable before the folder of the other path is synchronized.
  package func link(_ name: String, to other: String) throws(FileFailure) {
    if unsafe Glibc.link("\(path)/\(name)", other) == 0 { return }
    let reason = errno
    guard [EXDEV, EPERM, EMLINK, EOPNOTSUPP, ENOSYS].contains(reason) else {
      throw .system(.io, "\(path)/\(name)", "The file cannot be linked to \(other)", reason)
    }
    try copy(name, to: other)
  }

  /// Copies a file to another path. The name of the copy is not durable before the folder of that path is synchronized.
  package func copy(_ name: String, to other: String) throws(FileFailure) {
    let file = try DurableFile("\(path)/\(name)", .reading)
    let copy = try DurableFile(other, .creating)
    _ = try file.readPrefix(try file.byteCount()) { bytes throws(FileFailure) in try copy.append(bytes) }
    try copy.synchronize()
  }

  /// Gives a complete folder beside this one this folder's name, durably and in one step: a reader sees all of the old
  /// one or all of the new one. The old one, if there is one, gets the name of the new one.
  ///
  /// Returns false if there was no old one.
  package func exchange(with complete: DurableFolder) throws(FileFailure) -> Bool {
    let flags = [CLINUX_RENAME_EXCHANGE, CLINUX_RENAME_NOREPLACE]
    for (index, flag) in flags.enumerated() {
      if unsafe renameat2(AT_FDCWD, complete.path, AT_FDCWD, path, UInt32(flag)) == 0 {
        if let above = Self.parent(of: path) { try DurableFolder(above).synchronize() }
        return index == 0
      }
      if errno == ENOENT, index == 0 { continue }
      if errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP {
        throw FileFailure(
          .io,
          path,
          "The file system cannot replace a directory in one step",
          advice: "Give --out a directory on another one"
        )
      }
      break
    }
    throw .system(.io, path, "The directory cannot be replaced")
  }

  /// Removes the files of the folder, and the folder. Throws if it has folders in it.
  package func removeWithFiles() throws(FileFailure) {
    for name in try names() { try remove(name) }
    guard unsafe rmdir(path) == 0 || errno == ENOENT else {
      throw .system(.io, path, "The directory cannot be removed")
    }
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

  /// Returns the version of a file; nil if there is no file of that name.
  package func version(of name: String) throws(FileFailure) -> FileVersion? {
    var status = stat()
    if unsafe lstat("\(path)/\(name)", &status) == 0 { return FileVersion(status) }
    guard errno == ENOENT else { throw .system(.io, "\(path)/\(name)", "The status of the file cannot be read") }
    return nil
  }

  /// Returns the version of a file once any later change is sure to give it another one: times of files advance only every
  /// few milliseconds.
  package func settledVersion(of name: String) throws(FileFailure) -> FileVersion? {
    for _ in 0..<100 {
      guard let version = try version(of: name) else { return nil }
      var now = timespec()
      unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
      if !version.isChanged(at: now) { return version }
      usleep(1000)
    }
    return nil
  }

  /// Returns the names of the entries in the folder, sorted; empty if the folder does not exist.
  package func names() throws(FileFailure) -> [String] {
    guard try byteCount(of: ".") != nil else { return [] }
    do { return try Directory.names(in: path) } catch {
      // It was removed in between.
      if error.code == ENOENT { return [] }
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

  static func parent(of path: String) -> String? {
    let names = path.split(separator: "/")
    guard names.count > 0 else { return nil }
    let above = names.dropLast().joined(separator: "/")
    return path.hasPrefix("/") ? "/" + above : above.isEmpty ? "." : above
  }
}

extension String {
  /// The path without slashes at its end, but for that of the root.
  package var withoutTrailingSlashes: String {
    var path = self
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}

/// The identity of a file together with its length and the times of its last changes. It changes with each change of the
/// file.
package struct FileVersion: Equatable, Sendable, CustomStringConvertible {
  /// The numbers that make up the version, as text.
  package let description: String
  /// The numbers that change with the content alone, as text: another name or another link of the file leaves them.
  package let content: String
  private let changed: (seconds: Int, nanoseconds: Int)

  init(_ status: stat) {
    changed = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    content = "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    description = "\(status.st_dev) \(content) \(changed.seconds).\(changed.nanoseconds)"
  }

  /// Returns true if two versions have the same numbers.
  package static func == (left: FileVersion, right: FileVersion) -> Bool { left.description == right.description }

  func isChanged(at time: timespec) -> Bool {
    (changed.seconds, changed.nanoseconds) >= (time.tv_sec, time.tv_nsec)
  }
}
