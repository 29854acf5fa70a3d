internal import DurableFiles
internal import JSON

/// The settings with which the derived tables of a generation were made, and the digests of all that they were made of.
package struct DerivedManifest: Sendable, Equatable {
  /// The values of the options that later commands use if they are not given, by name; empty for a flag.
  package var options: [String: [String]] = [:]
  /// The digest of the rows, the files and the settings from which each step has made its tables, by the name of the step.
  package var inputs: [String: String] = [:]
  /// The numbers of entries of the lookup tables and the costs that each step has read, by the names of the step and the table.
  package var rows: [String: [String: Int]] = [:]
  /// The names of the conversion models that the settlement was made with, of the apps that it has, sorted.
  package var models: [String] = []
  /// The lengths and the checksums of the files of each table, by the names of the table and the file.
  var files: [String: [String: FileSum]] = [:]

  /// The name of the file in the folder of a generation.
  package static let fileName = "_store.json"

  /// The path of the manifest of the generation that counts.
  package static func path(in output: String) -> String {
    "\(output)/\(DerivedStore.folderName)/\(DerivedStore.currentName)/\(fileName)"
  }

  /// A manifest without settings.
  package init() {}

  /// Reads the manifest in the folder of a generation. Throws `.damaged` if it is missing or is not JSON.
  init(in folder: String) throws(FileFailure) {
    let path = "\(folder)/\(Self.fileName)"
    let isThere = try DurableFolder(folder).byteCount(of: Self.fileName) != nil
    let bytes = isThere ? try WholeFile.read(path, upTo: 1 << 28) : []
    guard case .object(let members)? = try? JSONValue(parsing: bytes) else {
      throw FileFailure(
        .damaged,
        path,
        isThere ? "The file is not a JSON object" : "The file is missing",
        advice: "Restore it from a copy, or give postback refresh, which makes the tables again or says what to do"
      )
    }
    for member in members {
      if case ("models", .array(let names)) = (member.key, member.value) { models = names.compactMap(\.text) }
      guard case .object(let entries) = member.value else { continue }
      for entry in entries {
        switch (member.key, entry.value) {
        case ("options", .array(let values)): options[entry.key] = values.compactMap(\.text)
        case ("inputs", .string(let digest)): inputs[entry.key] = digest
        case ("rows", .object(let counts)):
          rows[entry.key] = counts.reduce(into: [:]) { $0[$1.key] = $1.value.integer.map(Int.init) }
        case ("files", let sums): files[entry.key] = FileSum.read(sums)
        default: break
        }
      }
    }
  }

  /// Reads the manifest in the folder of a generation to make the tables again: one that is damaged is empty, with the failure.
  static func repairing(_ folder: String) throws(FileFailure) -> (manifest: DerivedManifest, failure: FileFailure?) {
    do throws(FileFailure) { return (try DerivedManifest(in: folder), nil) } catch {
      guard error.kind == .damaged else { throw error }
      return (DerivedManifest(), error)
    }
  }

  /// Writes the manifest into the folder of a generation, durably.
  func write(in folder: String) throws(FileFailure) {
    let sorted = options.sorted { $0.key < $1.key }.map { name, values in
      JSONValue.Member(name, .texts(values))
    }
    let digests = inputs.sorted { $0.key < $1.key }.map { JSONValue.Member($0, .string($1)) }
    let counts = rows.sorted { $0.key < $1.key }.map { step, rows in
      JSONValue.Member(step, .object(rows.sorted { $0.key < $1.key }.map { .init($0, .integer($1)) }))
    }
    let sums = files.sorted { $0.key < $1.key }.map { JSONValue.Member($0, FileSum.json($1)) }
    let text = JSONValue.object([
      .init("options", .object(sorted)), .init("inputs", .object(digests)), .init("rows", .object(counts)),
      .init("models", .texts(models)), .init("files", .object(sums)),
    ])
    try DurableFolder(folder).remove(Self.fileName)
    let file = try DurableFile("\(folder)/\(Self.fileName)", .creating)
    try file.append(Array("\(text)\n".utf8).span)
    try file.synchronize()
  }
}
