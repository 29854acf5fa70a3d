internal import DurableFiles
internal import Glibc
internal import Ledger
internal import Reporting
internal import Tables

extension TablesOptions {
  /// Throws unless tables may be written into a folder: it must be neither in a table of another output nor in a state, where
  /// they would be taken for parts of it.
  static func verifyPlace(_ path: String) throws(CommandFailure) {
    let names = Set((Table.all + Table.derived).map(\.name))
    var folder = absolute(path)
    while !folder.isEmpty {
      let (parent, name) = parts(of: folder)
      let isTable = names.contains(name) && hasParts(folder)
      if isTable || (name == StateFolder.name && Ledger.isThere(folder)) {
        throw CommandFailure(
          .usage,
          "The folder \(path) is in \(isTable ? "a table" : "the state") of another output, \(folder). "
            + "Give a folder outside of it with --out."
        )
      }
      folder = parent
    }
  }

  private static func hasParts(_ folder: String) -> Bool {
    let names = (try? DurableFolder(folder).names()) ?? []
    return names.contains {
      $0.hasPrefix(LedgerPart.namePrefix) || $0.hasPrefix(".\(LedgerPart.namePrefix)") || $0.hasPrefix("received_day=")
    }
  }

  /// Divides a path into that of the folder around it and its last component.
  private static func parts(of path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  /// The path from the root, without links as far as it exists. Of what does not exist, `.` and `..` are resolved as texts.
  private static func absolute(_ path: String) -> String {
    if let resolved = unsafe realpath(path, nil) {
      defer { unsafe free(resolved) }
      return unsafe String(cString: resolved)
    }
    var trimmed = path
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    let (parent, name) = parts(of: trimmed)
    let isOfRoot = parent.isEmpty && trimmed.hasPrefix("/")
    let folder = isOfRoot ? "" : absolute(parent.isEmpty ? "." : parent)
    return name == "." ? folder : name == ".." ? parts(of: folder).parent : "\(folder)/\(name)"
  }
}
