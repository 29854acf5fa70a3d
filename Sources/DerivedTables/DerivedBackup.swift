package import DurableFiles

/// The copying of the derived tables that cannot always be made again: those of days whose rows were removed because of their age, and the
/// changes since the first report.
package enum DerivedBackup {
  /// Copies these tables of an output to a folder, durably, with the options that later commands use. All other derived tables are
  /// made again there. Returns the names of the tables and of their store.
  package static func copy(_ output: String, to target: String) throws(FileFailure) -> [String] {
    let snapshot = try DerivedSnapshot(of: output)
    defer { withExtendedLifetime(snapshot) {} }
    let source = DurableFolder(snapshot.folder)
    var tables: [String] = []
    for table in DerivedStore.tables(of: "daily") where try source.byteCount(of: "\(table)/.") != nil {
      tables.append(table)
    }
    guard !tables.isEmpty else { return [] }
    let changed = try snapshot.manifest.changedFiles(in: source.path, readingBytesOf: tables.contains)
    if let file = changed.first(where: { tables.contains($0.table) }) { throw snapshot.failure(file) }
    // What an interrupted backup has left there.
    try DurableFolder(target).removeAll(DerivedStore.folderName)
    let generation = try DerivedGeneration(in: target)
    generation.manifest.options = snapshot.manifest.options
    for table in tables {
      generation.manifest.files[table] = snapshot.manifest.files[table]
      let folder = DurableFolder("\(source.path)/\(table)")
      let copies = try DurableFolder(making: "\(generation.folder)/\(table)")
      for name in try folder.names() { try folder.copy(name, to: "\(copies.path)/\(name)") }
    }
    try generation.commit()
    return tables + [DerivedStore.folderName]
  }
}
