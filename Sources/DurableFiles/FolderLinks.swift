internal import CLinux
internal import Glibc

extension DurableFolder {
  /// Returns the target of a symbolic link in the folder; nil if there is no symbolic link of that name.
  package func target(ofLink name: String) throws(FileFailure) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("\(path)/\(name)", &bytes, bytes.count)
    if count >= 0 { return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    guard errno == ENOENT || errno == EINVAL || errno == ENOTDIR else {
      throw .system(.io, "\(path)/\(name)", "The symbolic link cannot be read")
    }
    return nil
  }

  /// Gives a symbolic link a name in the folder, durably and in one step. What had the name before is removed.
  package func point(_ name: String, to destination: String) throws(FileFailure) {
    let new = ".\(name).link"
    // A process that was killed may have left the new link, or the old folder.
    try removeAll(new)
    guard unsafe symlink(destination, "\(path)/\(new)") == 0 else {
      throw .system(.cannotCreate, "\(path)/\(name)", "The symbolic link cannot be created")
    }
    guard try isFolder(name) else { return try rename(new, to: name) }
    _ = try DurableFolder("\(path)/\(name)").exchange(with: DurableFolder("\(path)/\(new)"))
    try removeAll(new)
  }

  /// Indicates that an entry is a folder, and no symbolic link to one.
  private func isFolder(_ name: String) throws(FileFailure) -> Bool {
    guard try target(ofLink: name) == nil else { return false }
    return try byteCount(of: "\(name)/.") != nil
  }

  /// Removes an entry with all that is in it. A symbolic link is removed itself; an entry that is gone is no error.
  package func removeAll(_ name: String) throws(FileFailure) {
    guard try isFolder(name) else { return try remove(name) }
    let folder = DurableFolder("\(path)/\(name)")
    for entry in try folder.names() { try folder.removeAll(entry) }
    try folder.removeWithFiles()
  }

  /// Gives each file of the folder the same name in another folder, which is made. As after `link`, they are not durable before
  /// the other folder is synchronized.
  package func linkFiles(into other: String) throws(FileFailure) {
    _ = try DurableFolder(making: other)
    for name in try names() { try link(name, to: "\(other)/\(name)") }
  }
}

/// A folder that processes share for reading, or that one process has for itself, for as long as its object lives.
package final class FolderPin: Sendable {
  private let descriptor: Int32

  /// Shares the folder for reading; nil if it is gone.
  package convenience init?(sharing path: String) throws(FileFailure) { try self.init(path, LOCK_SH) }

  /// Takes the folder for this process alone; nil if it is gone, or another process shares it.
  package convenience init?(taking path: String) throws(FileFailure) { try self.init(path, LOCK_EX) }

  private init?(_ path: String, _ operation: Int32) throws(FileFailure) {
    descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(.io, path, "The directory cannot be opened", errno, access: .read)
    }
    var (opened, named) = (stat(), stat())
    while flock(descriptor, operation | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return nil }
      throw .system(.io, path, "The directory cannot be locked")
    }
    // Another process may have removed it before it was locked.
    guard unsafe fstat(descriptor, &opened) == 0, unsafe lstat(path, &named) == 0, opened.st_ino == named.st_ino else {
      return nil
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
