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
  /// How rows are written.
  package let format: RowFormat
  private var files: [[TableFormat: UnfinishedFile]] = []
  private var counts = Table.all.map { _ in 0 }
  private let options: TableOptions
  private var folder: OutputFolder?

  /// Rows of each table so far, by its name.
  package var rowCounts: [(table: String, rows: Int)] { Array(zip(Table.all.map(\.name), counts)) }

  /// Makes the folders and the hidden files. Refuses a folder that holds tables already.
  package init(_ options: TableOptions, trust: Trust) throws(PipelineFailure) {
    self.options = options
    format = RowFormat(options.formats, isCSVSafe: options.isCSVSafe, trust: trust)
    do throws(WriteFailure) { try create() } catch { throw .write(error) }
  }

  /// Writes all rows, and publishes the tables at the end.
  ///
  /// Calls `progress` after each batch.
  package func write<Batches: AsyncSequence>(
    _ batches: Batches,
    progress: (Progress) -> Void
  ) async throws(PipelineFailure) -> Tally
  where Batches.Element == EncodedBatch, Batches.Failure == PipelineFailure {
    var tally = Tally()
    var iterator = batches.makeAsyncIterator()
    while let batch = try await iterator.next(isolation: nil) {
      tally += batch.tally
      do throws(WriteFailure) { try write(batch) } catch { throw .write(error) }
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
    files = try Table.all.map(parts)
  }

  private func parts(of table: Table) throws(WriteFailure) -> [TableFormat: UnfinishedFile] {
    var parts: [TableFormat: UnfinishedFile] = [:]
    for format in TableFormat.allCases where options.formats.contains(format) {
      let part = try UnfinishedFile("\(options.folder)/\(table.name)/part-00000001.\(format.rawValue)")
      if format == .csv { try part.write(table.csvHeader) }
      parts[format] = part
    }
    return parts
  }

  private func write(_ batch: EncodedBatch) throws(WriteFailure) {
    for (table, rows) in batch.rows.enumerated() {
      try files[table][.jsonLines]?.write(rows.jsonLines)
      try files[table][.csv]?.write(rows.csv)
      counts[table] += rows.count
    }
  }

  private func publish() throws(WriteFailure) {
    let parts = files.flatMap { $0.values }
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
