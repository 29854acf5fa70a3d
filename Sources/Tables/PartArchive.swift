package import DurableFiles
internal import Ledger

/// A folder with copies of parts that are removed from an output because of their age, in the folders of their tables.
package struct PartArchive: Sendable {
  private let path: String

  /// Makes the archive in a folder, which is created when it is needed. Throws if that is the folder of the tables.
  package init(_ path: String, of output: String) throws(FileFailure) {
    self.path = path
    guard let archive = try NamedFile(path), let tables = try NamedFile(output) else { return }
    guard archive.isSame(as: tables) else { return }
    throw FileFailure(
      .incompatible,
      path,
      "The archive would be the folder of the tables itself",
      advice: "Name another folder"
    )
  }

  /// Copies a part durably. A copy that an interrupted removal has made stays, and so does that of a part which was reduced since.
  func take(_ part: LedgerPart, from output: String, isReduced: Bool) throws(FileFailure) {
    let folder = try DurableFolder(making: "\(path)/\(part.folder)")
    if try folder.byteCount(of: part.name) != nil {
      if isReduced { return }
      let (copy, source) = ("\(folder.path)/\(part.name)", "\(output)/\(part.folder)/\(part.name)")
      do throws(FileFailure) { try PartFile.verify(try DurableFile(copy, .reading), part) } catch {
        guard error.kind == .damaged else { throw error }
        throw FileFailure(
          .incompatible,
          copy,
          "The archive has another part of this name, or a damaged one",
          advice: "Give each output an archive of its own, or name a new folder"
        )
      }
      // A link from one to the other would be lost with the part.
      guard let first = try NamedFile(copy), let second = try NamedFile(source), !first.isSame(as: second) else {
        throw FileFailure(.incompatible, copy, "The file is the part itself", advice: "Name another folder")
      }
      return try folder.synchronize()
    }
    let hidden = ".\(part.name).archived"
    try folder.remove(hidden)
    let copy = try DurableFile("\(folder.path)/\(hidden)", .creating)
    let file = try DurableFile("\(output)/\(part.folder)/\(part.name)", .reading)
    try PartFile.verify(file, part) { bytes throws(FileFailure) in try copy.append(bytes) }
    try copy.keepTime(of: file)
    try copy.synchronize()
    try folder.rename(hidden, to: part.name)
  }
}
