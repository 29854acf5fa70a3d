package import DurableFiles
internal import Glibc

/// One input: a file, or standard input.
package struct InputFile: Hashable, Sendable {
  /// The path that stands for standard input.
  package static let standardInput = "-"

  /// The path as it was given. For a file in a directory that was given: the directory, a slash and the file's name.
  package var path: String
  /// The time of the file's last modification, in milliseconds since 1970; nil if it is not a regular file.
  package var modified: Int64?
  /// The size of the file as stored, in bytes; nil if it is not a regular file.
  package var byteCount: Int64?
  /// The number of its first line: more than 1 if it is a later part of a larger file.
  package var firstLine = 1
  /// The number of bytes after which the file counts as ended: rows behind them are not committed; nil for all bytes.
  package var limit: Int64?
  /// The path that another process may give the file before it is opened; nil if it keeps its path.
  package var laterPath: String?

  /// An input file; `modified` and `byteCount` are nil if it is not a regular file.
  package init(path: String, modified: Int64? = nil, byteCount: Int64? = nil) {
    self.path = path
    self.modified = modified
    self.byteCount = byteCount
  }
}

extension InputFile {
  /// Returns the inputs that `paths` name, in their order. Throws if one of them cannot be opened now.
  ///
  /// A directory stands for every regular file directly in it, sorted by the bytes of the names; symbolic links to
  /// regular files count. `-` is standard input. A named pipe or `/dev/fd/N` is read as a stream. It is not opened
  /// here, only its permission is checked, because opening it twice would lose the data in it.
  package static func enumerate(_ paths: [String]) throws(FileFailure) -> [InputFile] {
    var inputs: [InputFile] = []
    for path in paths {
      if path == standardInput {
        inputs.append(InputFile(path: path))
        continue
      }
      let status = try FileStatus(path: path)
      switch status.kind {
      case .directory:
        inputs += try files(inDirectory: path)
      case .regular:
        inputs.append(try InputFile(openable: path, status))
      case .stream:
        guard unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
          throw FileFailure.system(.notFound, path, "The file cannot be opened", errno, access: .read)
        }
        inputs.append(InputFile(path: path))
      case .socket:
        throw FileFailure(.notFound, path, "This is a socket", advice: "Give a file, a directory or a pipe")
      }
    }
    return inputs
  }

  /// Tells if `path` is a directory or a symbolic link to one; throws if nothing exists at `path`.
  package static func isFolder(_ path: String) throws(FileFailure) -> Bool {
    try FileStatus(path: path).kind == .directory
  }

  private init(openable path: String, _ status: FileStatus) throws(FileFailure) {
    _ = try OpenFile(path: path)
    self.init(path: path, modified: status.modified, byteCount: status.byteCount)
  }

  private static func files(inDirectory directory: String) throws(FileFailure) -> [InputFile] {
    var inputs: [InputFile] = []
    for name in try Directory.names(in: directory) {
      let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
      guard let status = try FileStatus(entry: path), status.kind == .regular else { continue }
      inputs.append(try InputFile(openable: path, status))
    }
    guard !inputs.isEmpty else {
      throw FileFailure(.notFound, directory, "There is no regular file in this directory")
    }
    return inputs
  }
}
