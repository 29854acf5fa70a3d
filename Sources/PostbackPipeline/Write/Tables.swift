internal import Glibc

/// Where and how tables are written.
package struct TableOptions: Sendable {
  /// The folder that gets a folder for each table.
  package var folder: String
  /// The formats.
  package var formats: Set<TableFormat>
  /// Whether CSV texts that a spreadsheet would run are disarmed.
  package var isCSVSafe: Bool

  /// Options.
  package init(folder: String, formats: Set<TableFormat> = [.jsonLines], isCSVSafe: Bool = false) {
    self.folder = folder
    self.formats = formats
    self.isCSVSafe = isCSVSafe
  }
}

/// The output tables of one run. What was written shows up only when the run is complete; before that, nothing does.
package final class Tables {
  private var writer: RowWriter
  private var postbacks: [TableFormat: UnfinishedFile] = [:]
  private var events: [TableFormat: UnfinishedFile] = [:]
  private var rejects: [TableFormat: UnfinishedFile] = [:]
  private let options: TableOptions

  /// Rows of each table so far, by its name.
  package var rowCounts: [(table: String, rows: Int)] {
    [
      (Table.postbacks.name, writer.postbacks.rowCount), (Table.events.name, writer.events.rowCount),
      (Table.rejects.name, writer.rejects.rowCount),
    ]
  }

  /// Makes the folders and the hidden files. Refuses a folder that holds tables already.
  package init(_ options: TableOptions, trust: Trust) throws(PipelineFailure) {
    self.options = options
    do { writer = try RowWriter(options, trust: trust) } catch { throw .libcrypto(error) }
    do throws(WriteFailure) { try create() } catch { throw .write(error) }
  }

  /// Writes every outcome as its rows, and publishes the tables at the end.
  ///
  /// Calls `progress` after each batch.
  package func write<Batches: AsyncSequence>(
    _ batches: Batches,
    progress: (Progress) -> Void
  ) async throws(PipelineFailure) -> Tally
  where Batches.Element == Batch<Decoded>, Batches.Failure == PipelineFailure {
    var tally = Tally()
    var iterator = batches.makeAsyncIterator()
    while let batch = try await iterator.next(isolation: nil) {
      tally.count(batch)
      do { try writer.encode(batch) } catch { throw .libcrypto(error) }
      do throws(WriteFailure) { try flush() } catch { throw .write(error) }
      progress(Progress(input: batch.input, consumed: batch.consumed, tally: tally))
    }
    do throws(WriteFailure) { try publish() } catch { throw .write(error) }
    return tally
  }

  /// How far a run is.
  package struct Progress: Sendable {
    /// The input that is being read.
    package let input: InputFile
    /// Bytes of it, as it is stored, that have been dealt with.
    package let consumed: Int64
    /// What became of the records so far.
    package let tally: Tally
  }

  private func folder(of table: Table) -> String { "\(options.folder)/\(table.name)" }

  private func create() throws(WriteFailure) {
    for table in Table.all { try Self.refuseParts(in: folder(of: table)) }
    postbacks = try parts(of: .postbacks, writer.postbacks)
    events = try parts(of: .events, writer.events)
    rejects = try parts(of: .rejects, writer.rejects)
    // Again, now that no other run can end in these folders any more.
    for table in Table.all { try Self.refuseParts(in: folder(of: table)) }
  }

  private func parts(of table: Table, _ encoder: RowEncoder) throws(WriteFailure) -> [TableFormat: UnfinishedFile] {
    try Self.makeFolder(folder(of: table))
    var parts: [TableFormat: UnfinishedFile] = [:]
    for format in TableFormat.allCases where options.formats.contains(format) {
      let part = try UnfinishedFile("\(folder(of: table))/part-00000001.\(format.rawValue)")
      if format == .csv { try part.write(encoder.csvHeader) }
      parts[format] = part
    }
    return parts
  }

  private func flush() throws(WriteFailure) {
    try Self.flush(writer.postbacks, to: postbacks)
    try Self.flush(writer.events, to: events)
    try Self.flush(writer.rejects, to: rejects)
    writer.removeRows()
  }

  private static func flush(_ encoder: borrowing RowEncoder, to parts: [TableFormat: UnfinishedFile])
    throws(WriteFailure)
  {
    try parts[.jsonLines]?.write(encoder.jsonLines)
    try parts[.csv]?.write(encoder.csv)
  }

  private func publish() throws(WriteFailure) {
    let parts = [postbacks, events, rejects].flatMap { $0.values }
    for part in parts { try part.synchronize() }
    for part in parts { try part.publish() }
    for table in Table.all { try Self.synchronizeFolder(folder(of: table)) }
    try Self.synchronizeFolder(options.folder)
  }

  private static func refuseParts(in path: String) throws(WriteFailure) {
    guard let stream = unsafe opendir(path) else {
      if errno == ENOENT { return }
      throw .system(.cannotCreate, path, "cannot be opened as a folder")
    }
    defer { unsafe closedir(stream) }
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix(5), as: UTF8.self)
      }
      guard name != "part-" else {
        throw WriteFailure(
          kind: .cannotCreate,
          path: path,
          reason: "holds tables of another run; give --out another folder, or remove that one"
        )
      }
    }
  }

  /// Makes a folder and those above it.
  private static func makeFolder(_ path: String) throws(WriteFailure) {
    if unsafe mkdir(path, 0o777) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw .system(.cannotCreate, path, "cannot be created")
    }
    try makeFolder(String(path[..<slash]))
    guard unsafe mkdir(path, 0o777) == 0 || errno == EEXIST else {
      throw .system(.cannotCreate, path, "cannot be created")
    }
  }

  private static func synchronizeFolder(_ path: String) throws(WriteFailure) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(.io, path, "cannot be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(.io, path, "cannot be made durable") }
  }
}
