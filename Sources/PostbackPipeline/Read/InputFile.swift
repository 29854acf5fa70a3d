package import DurableFiles
package import InputForms
internal import Glibc

/// One input: a file, or standard input.
package struct InputFile: Hashable, Sendable {
  /// The path that stands for standard input.
  package static let standardInput = "-"

  /// The path as it was given. For a file in a directory that was given: the directory, a slash and the path below it.
  package var path: String
  /// The time of the file's last modification, in milliseconds since 1970; nil if it is not a regular file.
  package var modified: Int64?
  /// The size of the file as stored, in bytes; nil if it is not a regular file.
  package var byteCount: Int64?
  /// The place of the path that stands for it among the paths that were given.
  package var place = 0
  /// The facts that its path, or its operator, gives for all postbacks in it.
  package var context = InputContext()
  /// The form in which it may be.
  package var form = InputForm()
  /// The header with which it was read as CSV; nil if it was not.
  package var csvHeader: CSVHeader?
  /// True if it was read as CSV.
  package var isCSV: Bool { csvHeader != nil }
  /// The number of its first line: more than 1 if it is a later part of a larger file.
  package var firstLine = 1
  /// The number of bytes after which the file counts as ended: rows behind them are not committed; nil for all bytes.
  package var limit: Int64?
  /// The number of the remote object that it stands for, in the source that opens it; nil for a file.
  package var object: Int?
  /// The path that another process may give the file before it is opened; nil if it keeps its path.
  package var laterPath: String?

  /// An input file; `modified` and `byteCount` are nil if it is not a regular file.
  package init(path: String, modified: Int64? = nil, byteCount: Int64? = nil) {
    self.path = path
    self.modified = modified
    self.byteCount = byteCount
  }
}

/// The files that stand behind the paths of inputs.
package struct FoundInputs: Sendable {
  /// The files, in the order in which they are read.
  package private(set) var files: [InputFile] = []
  /// The counts of entries of folders that are not read.
  package private(set) var leftOut = LeftOutEntries()

  /// Finds the inputs that `paths` name, in their order. Throws if one of them cannot be opened now.
  ///
  /// A directory stands for the regular files in it and its sub-folders that `selection` takes, in the order of the
  /// bytes of their paths. `-` is standard input. A named pipe or `/dev/fd/N` is read as a stream. It is not opened
  /// here, only its permission is checked, because opening it twice would lose the data in it. `remote` finds inputs that
  /// are not in the file system, and returns nil for a path in it.
  package init(
    at paths: [String],
    _ selection: InputSelection = InputSelection(),
    remote: (String, InputSelection) throws(FileFailure) -> FoundInputs? = { _, _ in nil }
  ) throws(FileFailure) {
    for (place, path) in paths.enumerated() {
      let start = files.count
      if path == InputFile.standardInput {
        files.append(InputFile(path: path))
      } else if let found = try remote(path, selection) {
        files += found.files
        leftOut += found.leftOut
      } else {
        try add(path, selection)
      }
      for index in start..<files.count { files[index].place = place }
    }
  }

  /// Sets the form in which the files may be.
  package mutating func setForm(_ form: InputForm) {
    for index in files.indices { files[index].form = form }
  }

  /// Files that were found elsewhere.
  package init(_ files: [InputFile], leftOut: LeftOutEntries = LeftOutEntries()) {
    (self.files, self.leftOut) = (files, leftOut)
  }

  /// Sets the context of each file.
  package mutating func describe(
    _ context: (InputFile) throws(FileFailure) -> InputContext
  ) throws(FileFailure) {
    for index in files.indices { files[index].context = try context(files[index]) }
  }

  private mutating func add(_ path: String, _ selection: InputSelection) throws(FileFailure) {
    let status = try FileStatus(path: path)
    switch status.kind {
    case .directory:
      let folder = try InputFolder(path, selection)
      guard !folder.files.isEmpty else {
        let others = folder.leftOut.isEmpty ? "" : " that is read. Some entries are left out"
        throw FileFailure(
          .notFound,
          path,
          "There is no regular file in this directory\(others)",
          advice: "Look at what brings the files here, and give the command again. What was made of earlier files stays"
        )
      }
      files += folder.files
      leftOut += folder.leftOut
    case .regular:
      files.append(try InputFile(openable: path, status))
    case .stream:
      guard unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
        throw FileFailure.system(.notFound, path, "The file cannot be opened", errno, access: .read)
      }
      files.append(InputFile(path: path))
    case .socket:
      throw FileFailure(.notFound, path, "This is a socket", advice: "Give a file, a directory or a pipe")
    }
  }
}

extension InputFile {
  /// Returns the files that `paths` name, as `FoundInputs` finds them.
  package static func enumerate(
    _ paths: [String],
    in form: InputForm = InputForm()
  ) throws(FileFailure) -> [InputFile] {
    var found = try FoundInputs(at: paths)
    found.setForm(form)
    return found.files
  }

  /// Tells if `path` is a directory or a symbolic link to one; throws if nothing exists at `path`.
  package static func isFolder(_ path: String) throws(FileFailure) -> Bool {
    try FileStatus(path: path).kind == .directory
  }

  /// A regular file. Throws if it cannot be opened.
  init(openable path: String, _ status: FileStatus) throws(FileFailure) {
    _ = try OpenFile(path: path)
    self.init(path: path, modified: status.modified, byteCount: status.byteCount)
  }
}
