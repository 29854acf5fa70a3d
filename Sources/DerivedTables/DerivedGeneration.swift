package import DurableFiles
internal import Glibc
package import PostbackPipeline

/// A new generation of the derived tables of an output, while it is written.
///
/// It begins with the tables of the one before. Each `DerivedTable` in its folder replaces one of them, and `commit` puts all
/// in the place of the generation before, in one step. Without `commit` nothing changes.
package final class DerivedGeneration {
  /// The folder that has the folders of the tables.
  package let folder: String
  /// The settings and the inputs of the tables.
  package var manifest: DerivedManifest
  /// The failure for the manifest of the generation before, if it is damaged.
  package let manifestFailure: FileFailure?
  private let output: DurableFolder
  private let store: DurableFolder
  private let before: Int?
  private let lock: LockFile
  private var isCommitted = false

  private var number: Int { (before ?? 0) + 1 }

  /// Begins a generation in a folder that exists. Where it is moved away meanwhile, nothing is made anew at its path. Throws
  /// `.locked` if another process writes one, and `.damaged` if the manifest of the one before is, unless that is what is repaired.
  package init(in path: String, repairing isRepaired: Bool = false) throws(FileFailure) {
    output = DurableFolder(path)
    store = try DerivedStore.folder(in: path)
    try store.makeAlone()
    lock = try LockFile("\(store.path)/.lock") { [store] holder in
      FileFailure(
        .locked,
        store.path,
        "The derived tables are being written by \(holder)",
        advice: "Wait for it to end"
      )
    }
    let current = try DerivedStore.current(of: store)
    before = if let current { current } else { try Self.first(of: output, in: store) }
    let next = (before ?? 0) + 1
    folder = "\(store.path)/\(next)\(DerivedStore.incompleteEnding)"
    (manifest, manifestFailure) =
      if let before { try DerivedManifest.repairing("\(store.path)/\(before)") } else { (DerivedManifest(), nil) }
    if !isRepaired, let manifestFailure { throw manifestFailure }
    // A process that was killed may have left these steps of its commit.
    if let before {
      if try store.target(ofLink: DerivedStore.currentName) == nil {
        try store.point(DerivedStore.currentName, to: "\(before)")
      }
      try Self.publish("\(store.path)/\(before)", in: output)
    }
    try Self.removeOthers(than: before, in: store)
    try DurableFolder(folder).makeAlone()
    if let before { try Self.linkTables(in: "\(store.path)/\(before)", into: folder) }
  }

  /// Makes a first generation of the tables of a version without a store, which are folders of the output. Nil if there are none.
  private static func first(of output: DurableFolder, in store: DurableFolder) throws(FileFailure) -> Int? {
    let folder = DurableFolder("\(store.path)/1\(DerivedStore.incompleteEnding)")
    try removeOthers(than: nil, in: store)
    guard try linkTables(in: output.path, into: folder.path) else { return nil }
    // The folders have what the generation has, so that readers find the same in both before the link is there.
    try complete(folder, DerivedManifest(), as: 1, in: store)
    return 1
  }

  /// Gives the files of the tables in a folder further names in another one. Returns false if there are no tables.
  @discardableResult
  private static func linkTables(in folder: String, into other: String) throws(FileFailure) -> Bool {
    var isThere = false
    for table in DerivedStore.tableNames where try DurableFolder(folder).byteCount(of: "\(table)/.") != nil {
      if !isThere { _ = try DurableFolder(making: other) }
      try DurableFolder("\(folder)/\(table)").linkFiles(into: "\(other)/\(table)")
      isThere = true
    }
    return isThere
  }

  deinit {
    if !isCommitted { try? store.removeAll("\(number)\(DerivedStore.incompleteEnding)") }
  }

  /// Makes the tables durable, and puts them in the place of the generation before.
  package func commit() throws(FileFailure) {
    precondition(!isCommitted, "a generation is committed once")
    for table in DerivedStore.tableNames {
      if let sums = try DerivedTable.takeSums(of: table, in: folder) { manifest.files[table] = sums }
    }
    try Self.complete(DurableFolder(folder), manifest, as: number, in: store)
    isCommitted = true
    // New tables have their names before, so that all appear in the same step.
    try Self.publish("\(store.path)/\(number)", in: output)
    try store.point(DerivedStore.currentName, to: "\(number)")
    try Self.removeOthers(than: number, in: store)
  }

  /// Makes the folder of a generation durable, and gives it its number.
  private static func complete(
    _ folder: DurableFolder,
    _ manifest: DerivedManifest,
    as number: Int,
    in store: DurableFolder
  ) throws(FileFailure) {
    try manifest.write(in: folder.path)
    for table in DerivedStore.tableNames {
      try folder.remove(".\(table).lock")
      guard try folder.byteCount(of: table) != nil else { continue }
      try DurableFolder("\(folder.path)/\(table)").synchronize()
    }
    try folder.synchronize()
    try store.rename("\(number)\(DerivedStore.incompleteEnding)", to: "\(number)")
  }

  /// The results that were calculated for parts of tables, which later generations use too.
  package func cache(program: String) throws(PipelineFailure) -> PartCache {
    try PartCache(in: "\(store.path)/\(DerivedStore.cacheName)", program: program)
  }

  /// Returns the files of the tables that are not as they were committed. Of some tables the bytes are read.
  package func changedFiles(readingBytesOf tables: Set<String>) throws(FileFailure) -> [ChangedFile] {
    try manifest.changedFiles(in: folder, readingBytesOf: tables.contains)
  }

  /// Removes tables, and all results for parts, whose files the tables share.
  package func remove(_ tables: Set<String>) throws(FileFailure) {
    for table in tables {
      try DurableFolder(folder).removeAll(table)
      manifest.files[table] = nil
    }
    try store.removeAll(DerivedStore.cacheName)
  }

  /// Removes all results that were calculated for parts of tables. Throws `.locked` if a page is made of them.
  func removeCache() throws(FileFailure) {
    let lock = try DerivedStore.lockPage(in: store)
    defer { withExtendedLifetime(lock) {} }
    for name in [DerivedStore.cacheName, DerivedStore.pageName] { try store.removeAll(name) }
  }

  /// Waits until no process reads the rows of a generation before, and removes them. Throws `.locked` if that takes long.
  package func waitForReaders() throws(FileFailure) {
    for attempt in 0..<50 {
      if attempt > 0 { usleep(200_000) }
      if try Self.removeOthers(than: number, in: store) { return }
    }
    throw FileFailure(
      .locked,
      store.path,
      "Another process reads the derived tables as they were before",
      advice: "Wait for it to end, and give the command again"
    )
  }

  /// Names the tables of a generation in the folder of the output.
  private static func publish(_ generation: String, in output: DurableFolder) throws(FileFailure) {
    for table in DerivedStore.tableNames {
      let place = DerivedStore.place(of: table)
      let isThere = try DurableFolder(generation).byteCount(of: table) != nil
      let link = try output.target(ofLink: table)
      if isThere, link != place { try output.point(table, to: place) }
      // A process of a version without a store may have been killed while it wrote the table.
      for rest in [".\(table).link", ".\(table).inprogress"] { try output.removeAll(rest) }
    }
  }

  /// Removes generations that no process reads, and what killed processes have left. Returns false if one is left.
  @discardableResult
  private static func removeOthers(than kept: Int?, in store: DurableFolder) throws(FileFailure) -> Bool {
    var isDone = true
    for name in try store.names() where name != kept.map(String.init) {
      let isIncomplete = name.hasSuffix(DerivedStore.incompleteEnding)
      guard isIncomplete || Int(name) != nil else { continue }
      let pin = try FolderPin(taking: "\(store.path)/\(name)")
      guard pin != nil else {
        isDone = false
        continue
      }
      try store.removeAll(name)
    }
    return isDone
  }
}
