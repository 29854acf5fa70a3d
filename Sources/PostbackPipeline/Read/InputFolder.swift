internal import DurableFiles
internal import Glibc
internal import Ledger

/// The choice of the files that a folder given as an input stands for.
///
/// A pattern is one of the shell (`fnmatch`). With a `/` it is compared with the path below the folder, where `*` stands
/// for `/` too, otherwise with the name alone.
package struct InputSelection: Sendable {
  /// The patterns of which the files must match one; none for all files.
  package var included: [String] = []
  /// The patterns of files and folders that are left out.
  package var excluded: [String] = []
  /// The paths of folders that are never entered, such as those of the tables that a run writes.
  package var avoided: [String] = []

  /// A choice of all files.
  package init() {}

  /// The decision about an entry of a folder.
  package enum Decision {
    case taken
    case hidden
    case unmatched
  }

  /// Returns the decision about the file at a path below the folder, by its name and those of the folders around it.
  package func decision(on file: String) -> Decision {
    var path = ""
    var names = file.split(separator: "/").map(String.init)[...]
    guard let last = names.popLast() else { return .hidden }
    for name in names {
      path += name
      if InputFolder.isHidden(name) { return .hidden }
      if excludes(path, named: name) { return .unmatched }
      path += "/"
    }
    if InputFolder.isHidden(last) { return .hidden }
    return takes(path + last, named: last) ? .taken : .unmatched
  }

  fileprivate func takes(_ file: String, named name: String) -> Bool {
    !excludes(file, named: name) && (included.isEmpty || Self.matches(file, name, included))
  }

  fileprivate func excludes(_ entry: String, named name: String) -> Bool { Self.matches(entry, name, excluded) }

  private static func matches(_ path: String, _ name: String, _ patterns: [String]) -> Bool {
    patterns.contains { unsafe fnmatch($0, $0.utf8.contains(UInt8(ascii: "/")) ? path : name, 0) == 0 }
  }
}

/// The counts of entries of folders that were left out.
package struct LeftOutEntries: Sendable, Equatable {
  /// The files and folders whose names begin with `.`, or with `_` and have no `=`: hidden files, and markers and
  /// unfinished files of other programs, such as `_SUCCESS` and `_temporary`.
  package var hidden = 0
  /// The files and folders that the patterns leave out.
  package var unmatched = 0
  /// Entries that are no regular files, folders that were read already by another path, and outputs of runs.
  package var others = 0

  /// No entries.
  package init() {}

  /// True if nothing was left out.
  package var isEmpty: Bool { self == LeftOutEntries() }

  static func += (left: inout LeftOutEntries, right: LeftOutEntries) {
    left.hidden += right.hidden
    left.unmatched += right.unmatched
    left.others += right.others
  }
}

/// Collects the files in folders and their sub-folders, by the bytes of their paths.
///
/// Symbolic links are followed. A folder is read once, so that links that lead back to it end.
struct InputFolder {
  private let selection: InputSelection
  /// The folders that were entered, and those that must not be.
  private var visited: Set<FolderID>
  private(set) var files: [InputFile] = []
  private(set) var leftOut = LeftOutEntries()

  /// Collects the files in the folder at `path`. Throws if it, or a folder or file in it, cannot be read.
  init(_ path: String, _ selection: InputSelection) throws(FileFailure) {
    self.selection = selection
    visited = Set(selection.avoided.compactMap { (try? FileStatus(path: $0)).map(FolderID.init) })
    visited.insert(FolderID(try FileStatus(path: path)))
    try enter(path.withoutTrailingSlashes, below: "")
  }

  /// Adds the files of a folder, whose path below the root is `path`: empty, or with a slash at the end.
  private mutating func enter(_ folder: String, below path: String) throws(FileFailure) {
    var entries: [(name: String, status: FileStatus)] = []
    for name in try Directory.names(in: folder) {
      guard !Self.isHidden(name) else {
        leftOut.hidden += 1
        continue
      }
      guard let status = try FileStatus(entry: Self.join(folder, name)) else {
        leftOut.others += 1
        continue
      }
      switch status.kind {
      case .regular where selection.takes(path + name, named: name): entries.append((name, status))
      case .directory where !selection.excludes(path + name, named: name): entries.append(("\(name)/", status))
      case .regular, .directory: leftOut.unmatched += 1
      case .socket, .stream: leftOut.others += 1
      }
    }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    for (name, status) in entries {
      if status.kind == .regular {
        files.append(try InputFile(openable: Self.join(folder, name), status))
        continue
      }
      let inner = Self.join(folder, String(name.dropLast()))
      guard !Ledger.isThere(StateFolder.path(in: inner)), visited.insert(FolderID(status)).inserted else {
        leftOut.others += 1
        continue
      }
      try enter(inner, below: path + name)
    }
  }

  fileprivate static func isHidden(_ name: String) -> Bool {
    name.hasPrefix(".") || name.hasPrefix("_") && !name.utf8.contains(UInt8(ascii: "="))
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }

  private struct FolderID: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ status: FileStatus) { (device, inode) = (status.device, status.inode) }
  }
}
