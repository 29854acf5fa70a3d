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

/// The output tables of one run. What was written shows up when the run is complete, and goes away where it fails.
package final class Tables {
  private var writer: RowWriter
  private var postbacks: [TableFormat: UnfinishedFile] = [:]
  private var events: [TableFormat: UnfinishedFile] = [:]
  private var rejects: [TableFormat: UnfinishedFile] = [:]
  private let options: TableOptions
  private var folder: OutputFolder?

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

  private func create() throws(WriteFailure) {
    folder = try OutputFolder(options.folder)
    for table in Table.all { try folder?.add(table) }
    postbacks = try parts(of: .postbacks, writer.postbacks)
    events = try parts(of: .events, writer.events)
    rejects = try parts(of: .rejects, writer.rejects)
  }

  private func parts(of table: Table, _ encoder: RowEncoder) throws(WriteFailure) -> [TableFormat: UnfinishedFile] {
    var parts: [TableFormat: UnfinishedFile] = [:]
    for format in TableFormat.allCases where options.formats.contains(format) {
      let part = try UnfinishedFile("\(options.folder)/\(table.name)/part-00000001.\(format.rawValue)")
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
    do throws(WriteFailure) {
      for part in parts { try part.publish() }
      try folder?.synchronize()
    } catch {
      for part in parts { part.withdraw() }
      throw error
    }
  }
}
