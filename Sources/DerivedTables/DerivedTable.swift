internal import Ledger
package import DurableFiles
package import JSON
package import PostbackPipeline
package import Tables

/// The folder of a derived table while it is written. It replaces the table as a whole when it is complete; until then
/// readers see the table that was there before.
package final class DerivedTable {
  /// The name of the file with the summary, which readers of parts pass over.
  package static let summaryName = "_summary.json"
  /// The name of the file with counts for the next calculation, which readers of parts pass over.
  package static let countsName = "_counts"
  /// The number of bytes after which the system is asked to begin writing them to the disk, so that little is left to wait
  /// for at the end.
  private static let writingBytes: Int64 = 8 << 20

  /// The folder that holds the folder of the table.
  package let output: String
  /// The rule by which the table may replace the one that is there.
  package let replacement: TableReplacement
  let table: Table
  private let formats: [TableFormat]
  private let isCSVSafe: Bool
  private let folder: DurableFolder
  private let incomplete: DurableFolder
  private let partBytes: Int64
  private let lock: LockFile
  private var files: [(name: String, format: TableFormat, file: DurableFile)] = []
  /// The checksums of the files by their names.
  private var sums: [String: FileSum] = [:]
  private var length: Int64 = 0
  /// The length at which the system was last asked to begin writing to the disk.
  private var handedOver: Int64 = 0
  private var isComplete = false
  /// The greatest number of the parts so far.
  private var parts = 0

  /// Begins the table in a folder that exists. Throws `.locked` if another process writes it, and `.cannotCreate` if its folder has
  /// files that are no parts.
  package init(
    _ table: Table,
    _ encoding: TableEncoding,
    in output: String,
    replacing replacement: TableReplacement = TableReplacement(),
    partBytes: Int64 = 1 << 28
  ) throws(FileFailure) {
    (self.table, self.output, self.replacement) = (table, output, replacement)
    formats = TableFormat.allCases.filter(encoding.formats.contains)
    isCSVSafe = encoding.isCSVSafe && formats.contains(.csv)
    self.partBytes = partBytes
    folder = DurableFolder("\(output)/\(table.name)")
    incomplete = DurableFolder(Self.incompletePath(table, in: output))
    lock = try Self.lock(table, in: output)
    for name in try folder.names()
    where !name.hasPrefix("part-") && ![Self.summaryName, StoredRows.csvSafeName, Self.countsName].contains(name) {
      throw FileFailure(
        .cannotCreate,
        "\(folder.path)/\(name)",
        "The file is not a part of the table, which is replaced as a whole",
        advice: "Move it away"
      )
    }
    if try incomplete.byteCount(of: ".") != nil { try incomplete.removeWithFiles() }
    try incomplete.makeAlone()
  }

  private static func lock(_ table: Table, in output: String) throws(FileFailure) -> LockFile {
    let path = "\(output)/\(table.name)"
    return try LockFile("\(output)/.\(table.name).lock") { _ in
      FileFailure(.locked, path, "Another process is writing the table", advice: "Wait for it to end")
    }
  }

  /// Removes the rows that a process has left which was killed while it wrote the table. Throws `.locked` if a process is
  /// writing it.
  static func removeIncomplete(_ table: Table, in output: String) throws(FileFailure) {
    let folders = [incompletePath(table, in: output), cachePath(table, in: output)].map { DurableFolder($0) }
    var isThere = false
    for folder in folders where try folder.byteCount(of: ".") != nil { isThere = true }
    guard isThere else { return }
    let lock = try lock(table, in: output)
    defer { withExtendedLifetime(lock) {} }
    for folder in folders where try folder.byteCount(of: ".") != nil { try folder.removeWithFiles() }
  }

  /// The path in an output folder of the results that are calculated for a table where no cache is given.
  static func cachePath(_ table: Table, in output: String) -> String { "\(output)/.\(table.name).parts" }

  private static func incompletePath(_ table: Table, in output: String) -> String {
    "\(output)/.\(table.name).inprogress"
  }

  /// The summary beside the rows of a derived table; nil if there is none. Throws `.damaged` if it is not JSON.
  package static func summary(of table: Table, in output: String) throws(FileFailure) -> JSONValue? {
    let folder = DurableFolder("\(output)/\(table.name)")
    guard try folder.byteCount(of: summaryName) != nil else { return nil }
    return try json("\(folder.path)/\(summaryName)")
  }

  deinit {
    files = []
    if !isComplete { try? incomplete.removeWithFiles() }
  }

  /// Appends rows.
  package func append(_ rows: EncodedRows) throws(FileFailure) {
    if files.isEmpty || length >= partBytes { try beginPart() }
    length += Int64(formats.map { rows[$0].count }.max() ?? 0)
    for (name, format, file) in files {
      try file.append(rows[format].span)
      sums[name]?.add(rows[format])
    }
    if length - handedOver >= Self.writingBytes {
      handedOver = length
      for file in files { file.file.beginWriting() }
    }
  }

  /// Adds a part with a number, whose files `make` puts at the paths of its formats, durably but for their names. It returns
  /// their checksums.
  func addPart(
    _ number: Int,
    _ make: (TableFormat, String) throws(FileFailure) -> FileSum?
  ) throws(FileFailure) {
    for format in formats {
      let name = LedgerPart(table: table.name, format: format, number: number).name
      sums[name] = try make(format, "\(incomplete.path)/\(name)")
    }
    parts = max(parts, number)
  }

  /// Adds a file beside the rows, which their readers pass over.
  package func add(_ name: String, _ bytes: [UInt8]) throws(FileFailure) {
    let file = try DurableFile("\(incomplete.path)/\(name)", .creating)
    try file.append(bytes.span)
    try file.synchronize()
    sums[name] = FileSum(of: bytes)
  }

  /// Throws if the table has a row for each of so many accepted postbacks, and the one before had much more of them.
  package func verifyReplacement(accepted rows: Int) throws(FileFailure) {
    try replacement.verify(
      table,
      in: output,
      before: { $0["rows"]?.integer.map(Int.init) },
      now: rows,
      of: "rows",
      because: "there are \(rows) accepted postbacks"
    )
  }

  /// Makes all rows durable, and puts the table in the place of the one that was there before.
  package func complete(summary: String) throws(FileFailure) {
    if parts == 0 { try beginPart() }
    try endPart()
    try add(Self.summaryName, Array("\(summary)\n".utf8))
    if isCSVSafe { try add(StoredRows.csvSafeName, []) }
    try incomplete.synchronize()
    try writeSums()
    let hadOne = try folder.exchange(with: incomplete)
    isComplete = true
    // What is left now are the rows from before.
    if hadOne { try incomplete.removeWithFiles() }
  }

  private func beginPart() throws(FileFailure) {
    try endPart()
    parts += 1
    (length, handedOver) = (0, 0)
    for format in formats {
      let name = LedgerPart(table: table.name, format: format, number: parts).name
      let file = try DurableFile("\(incomplete.path)/\(name)", .creating)
      let header = format == .csv ? table.csvHeader : []
      try file.append(header.span)
      sums[name] = FileSum(of: header)
      files.append((name, format, file))
    }
  }

  private func endPart() throws(FileFailure) {
    for file in files { try file.file.synchronize() }
    files = []
  }

  // MARK: - Checksums

  /// Writes the checksums of the files of a table of a generation beside it, for the commit.
  private func writeSums() throws(FileFailure) {
    guard output.hasSuffix(DerivedStore.incompleteEnding) else { return }
    let file = try DurableFile(Self.sumsPath(table.name, in: output), .creating)
    try file.append(Array(FileSum.json(sums).description.utf8).span)
  }

  /// Removes the checksums of a table that was written into the folder of a generation, and returns them; nil if it was not.
  static func takeSums(of table: String, in output: String) throws(FileFailure) -> [String: FileSum]? {
    let path = sumsPath(table, in: output)
    let folder = DurableFolder(output)
    guard try folder.byteCount(of: sumsName(table)) != nil else { return nil }
    let sums = try json(path)
    try folder.remove(sumsName(table))
    return FileSum.read(sums)
  }

  private static func json(_ path: String) throws(FileFailure) -> JSONValue {
    let bytes = try WholeFile.read(path, upTo: 1 << 30)
    guard let json = try? JSONValue(parsing: bytes) else {
      throw FileFailure(.damaged, path, "The file is not JSON", advice: "Make the table again, with postback refresh")
    }
    return json
  }

  private static func sumsName(_ table: String) -> String { ".\(table).sums" }

  private static func sumsPath(_ table: String, in output: String) -> String { "\(output)/\(sumsName(table))" }
}

extension PartCache {
  /// Returns a cache, or else one for the time in which a table is written in an output folder. One that a killed process has
  /// left there is removed.
  package static func given(_ cache: PartCache?, or table: Table, in output: String) throws(PipelineFailure)
    -> PartCache
  {
    if let cache { return cache }
    return try PartCache(temporary: DerivedTable.cachePath(table, in: output))
  }
}
