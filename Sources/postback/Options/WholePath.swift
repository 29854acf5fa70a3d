internal import DurableFiles
internal import Glibc

/// Paths from the root.
enum WholePath {
  /// Returns the path from the root, with its links and all else as it was given.
  static func of(_ path: String) -> String { path.hasPrefix("/") ? path : "\(resolved("."))/\(path)" }

  /// Returns the path from the root, without links as far as it exists. Of what does not exist, `.` and `..` are resolved as texts.
  static func resolved(_ path: String) -> String {
    if let resolved = unsafe realpath(path, nil) {
      defer { unsafe free(resolved) }
      return unsafe String(cString: resolved)
    }
    let trimmed = path.withoutTrailingSlashes
    let (parent, name) = parts(of: trimmed)
    // The folder of the process can be gone.
    let isFirst = trimmed == "." || parent.isEmpty && trimmed.hasPrefix("/")
    let folder = isFirst ? "" : resolved(parent.isEmpty ? "." : parent)
    return name == "." ? folder : name == ".." ? parts(of: folder).parent : "\(folder)/\(name)"
  }

  /// Divides a path into that of the folder around it and its last component.
  static func parts(of path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
