package import DurableFiles
internal import TableReading
package import Tables

/// The derived tables of an output, all of which are replaced at once.
///
/// The folder `_derived` of the output has a folder for each generation of the tables, and the symbolic link `current` to one
/// of them. `OUT/skan_settled` and so on are symbolic links through `current`. So all tables are those of one generation at
/// any moment, also after a crash. Files that do not change from one generation to the next are in both of them.
package enum DerivedStore {
  /// The name of the folder of the store in an output.
  package static let folderName = "_derived"
  /// The name of the symbolic link to the generation that counts.
  static let currentName = "current"
  /// The name of the folder with results that were calculated for parts of tables.
  static let cacheName = "parts"
  /// The name of the folder with the counts of parts of tables for the page.
  static let pageName = "page"
  /// The ending of the folder of a generation that is not complete.
  static let incompleteEnding = ".inprogress"

  /// The commands in the order in which they build on each other, with the names of the tables that each makes.
  package static let steps = [
    (command: "settle", tables: ["skan_settled", "skan_settled_events"]),
    (command: "enrich", tables: ["skan_enriched"]),
    (
      command: "daily",
      tables: [
        "skan_daily", "skan_daily_events", "skan_daily_values", "skan_daily_changes", "skan_modelled", "asa_daily",
        "skan_vendor_daily",
      ]
    ),
  ]

  /// The number of the rules of calculation of the tables. Raise it when the same inputs give other rows than before, so that the next
  /// refresh makes all tables anew, and `PartCache.format` only when other results are stored for parts.
  package static let rules = 3

  /// The names of the tables of the store.
  package static let tableNames = steps.flatMap(\.tables)

  /// The names of the tables that a command makes.
  package static func tables(of command: String) -> [String] { steps.first { $0.command == command }?.tables ?? [] }

  /// Indicates that an output has a store, or tables for one.
  static func isNeeded(in output: String) throws(FileFailure) -> Bool {
    for name in [folderName] + tableNames where try DurableFolder(output).byteCount(of: name) != nil {
      return true
    }
    return false
  }

  /// The place in an output that the symbolic link of a table names.
  static func place(of table: String) -> String { "\(folderName)/\(currentName)/\(table)" }

  /// Opens what was counted for the page, in an output that has a store. What was counted for derived tables is read there too. Nil
  /// if there is none, if another process makes a page, or if this one may not write.
  package static func page(in output: String, program: String) -> PartCache? {
    guard let store = try? folder(in: output), (try? current(of: store)) != nil, let lock = try? lockPage(in: store),
      let cache = try? PartCache(
        in: "\(store.path)/\(pageName)",
        readingAlso: "\(store.path)/\(cacheName)",
        program: program,
        keeper: lock
      )
    else { return nil }
    return cache
  }

  /// Removes what was counted for the page of an output, in which whole rejects are. While a page is made, it stays for that one,
  /// and the next page removes it.
  package static func removePage(in output: String) throws(FileFailure) {
    let store = try folder(in: output)
    guard try store.byteCount(of: pageName) != nil, let lock = try? lockPage(in: store) else { return }
    try PartCache.remove("\(store.path)/\(pageName)")
    withExtendedLifetime(lock) {}
  }

  /// Locks what was counted for the page for one process, which need not wait for derived tables to be written.
  static func lockPage(in store: DurableFolder) throws(FileFailure) -> LockFile {
    try LockFile("\(store.path)/.\(pageName).lock") { holder in
      FileFailure(.locked, store.path, "The page is being made by \(holder)", advice: "Wait for it to end")
    }
  }

  /// Indicates that the folder of an output has all tables of the generation that counts.
  package static func isPublished(in output: String) throws(FileFailure) -> Bool {
    let store = try folder(in: output)
    if try current(of: store) != nil, try store.target(ofLink: currentName) == nil { return false }
    let current = DurableFolder("\(store.path)/\(currentName)")
    for table in tableNames where try current.byteCount(of: table) != nil {
      if try DurableFolder(output).target(ofLink: table) != place(of: table) { return false }
    }
    return true
  }

  /// Returns the folder of the store in an output. Throws if it is a symbolic link, which may lead out of the output.
  static func folder(in output: String) throws(FileFailure) -> DurableFolder {
    let folder = DurableFolder("\(output)/\(folderName)")
    if let target = try DurableFolder(output).target(ofLink: folderName) {
      throw FileFailure(
        .incompatible,
        folder.path,
        "The directory of the derived tables is a symbolic link to \(target), which is not followed",
        advice: "Put the directory itself in the place of the link, or remove the link and make the tables again"
      )
    }
    return folder
  }

  /// Returns the number of the generation that counts; nil before the first one. Where the link to it is lost, such as in a copy by a
  /// program that leaves links out, it is the newest: days whose rows were removed are in no other place. Throws if the link leads
  /// elsewhere.
  static func current(of store: DurableFolder) throws(FileFailure) -> Int? {
    guard let target = try store.target(ofLink: currentName) else {
      guard try store.byteCount(of: ".") != nil else { return nil }
      return try store.names().compactMap(number).max()
    }
    guard let number = number(target), try store.target(ofLink: target) == nil else {
      throw FileFailure(
        .incompatible,
        "\(store.path)/\(currentName)",
        "The symbolic link leads to \(target), which is not a directory of derived tables",
        advice: "Remove the link, and give postback refresh, which takes the newest directory beside it"
      )
    }
    return number
  }

  /// The number of a generation, by the name of its folder; nil for other names.
  private static func number(_ name: String) -> Int? { Int(name).flatMap { $0 > 0 && "\($0)" == name ? $0 : nil } }
}

/// The derived tables of an output at one moment. They stay as they are while the object lives, whatever other processes do.
package final class DerivedSnapshot: Sendable {
  /// The folder that has the folders of the tables.
  package let folder: String
  /// The settings and the inputs of the tables; empty in an output that has no store.
  package let manifest: DerivedManifest
  /// The failure for the manifest, if it is damaged.
  package let manifestFailure: FileFailure?
  let output: String
  private let pin: FolderPin?

  /// The folder that has the folder of a table: that of the output for tables which are not in the store.
  package func place(of table: Table) -> String {
    DerivedStore.tableNames.contains(table.name) ? folder : output
  }

  /// Takes the generation that counts now; the folder of the output itself where it has no store. A damaged manifest is an empty one
  /// for a command that repairs it, and throws otherwise.
  package init(of output: String, repairing isRepaired: Bool = false) throws(FileFailure) {
    self.output = output
    let store = try DerivedStore.folder(in: output)
    while let number = try DerivedStore.current(of: store) {
      let path = "\(store.path)/\(number)"
      guard let pin = try FolderPin(sharing: path) else {
        // A new generation took its place meanwhile.
        if try DerivedStore.current(of: store) != number { continue }
        throw FileFailure(
          .damaged,
          path,
          "The directory is missing, and the derived tables with it",
          advice: """
            Put the directory back, or \(store.path) of a backup. Without one remove \(store.path), and make the tables again with \
            postback refresh: days whose rows were removed are lost then
            """
        )
      }
      (folder, self.pin) = (path, pin)
      (manifest, manifestFailure) = try DerivedManifest.repairing(path)
      if !isRepaired, let manifestFailure { throw manifestFailure }
      return
    }
    (folder, pin, manifest, manifestFailure) = (output, nil, DerivedManifest(), nil)
  }
}

extension TableFiles {
  /// The files of a derived table in a snapshot, which lives as long as they do; nil if there is no such table. Throws if one is
  /// damaged.
  package init?(derived table: Table, of snapshot: DerivedSnapshot) throws(FileFailure) {
    try snapshot.verify(table)
    guard var files = try TableFiles(derived: table, in: snapshot.place(of: table)) else { return nil }
    files.keeper = snapshot
    self = files
  }
}
