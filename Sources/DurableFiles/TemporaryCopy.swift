internal import Glibc

/// A folder for temporary files with copies of some files, which exists as long as the object.
package final class TemporaryCopy {
  package let folder: DurableFolder

  /// Copies files of a folder, if they exist, into a new folder in `TMPDIR` or `/tmp`.
  package init(of names: [String], in source: DurableFolder) throws(FileFailure) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var path = Array("\(parent)/postback-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&path) != nil else {
      throw .system(.cannotCreate, parent, "A directory for temporary files cannot be created")
    }
    folder = DurableFolder(String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    for name in names {
      guard let byteCount = try source.byteCount(of: name) else { continue }
      let copy = try DurableFile("\(folder.path)/\(name)", .creating)
      _ = try DurableFile("\(source.path)/\(name)", .reading).readPrefix(byteCount) { bytes throws(FileFailure) in
        try copy.append(bytes)
      }
    }
  }

  deinit { try? folder.removeWithFiles() }
}
