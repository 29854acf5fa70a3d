/// The name of a file that waits in a spool. `SpoolFolder.open` checks the file itself.
package struct SpoolEntry: Sendable {
  /// The path of the folder in which the file waits.
  package let folder: String
  let fileName: SpoolName
  /// The index of the entry in the result of its scan, from 0.
  let position: Int

  /// The file's name as text. A name that is not UTF-8 is escaped; the file gets the escaped name in `failed/`.
  package var name: String { fileName.text }

  /// The path of the file, made of `folder` and `name`.
  package var path: String { "\(folder)/\(name)" }

  /// The path for a person: on one line, with control characters escaped.
  package var shown: String { SpoolName.printable(path.utf8) }

  /// The path for system calls: the true bytes of the name, with a zero at the end.
  var systemPath: [CChar] { fileName.path(in: folder) }
}
