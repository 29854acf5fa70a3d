/// A file that waits in a spool, by name: what it is tells `SpoolFolder.open`.
package struct SpoolEntry: Sendable {
  /// The folder that it waits in.
  package let folder: String
  let fileName: SpoolName
  /// Which one of its scan it is.
  let position: Int

  /// Its name; of a name that is not UTF-8 the one that it gets in `failed/`.
  package var name: String { fileName.text }

  /// Where it waits.
  package var path: String { "\(folder)/\(name)" }

  /// The path for a person, on one line.
  package var shown: String { SpoolName.printable(path.utf8) }

  /// The path for the system.
  var systemPath: [CChar] { fileName.path(in: folder) }
}
