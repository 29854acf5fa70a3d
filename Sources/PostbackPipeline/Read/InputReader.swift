internal import DurableFiles
internal import InputForms
internal import Ledger

/// Reads one input, batch by batch.
final class InputReader {
  private let input: InputFile
  private let catalog: InputCatalog
  private let stream: RecordStream
  /// The entry of the input to commit to the ledger; nil if the ledger needs no new entry.
  private var known: LedgerInput?
  /// The number of records, from the first on, that are in the tables already and are not handed on again.
  private let skipped: Int64
  /// The end of an input whose content is in the tables already; nil if there is something to read.
  private let knownEnd: InputEnd?
  private var isEnded = false
  /// The number of records that came from records which hold several.
  private var elementCount: Int64 = 0

  /// Begins to read an input behind the records that are in the tables, as the catalog's plan says. Of the two
  /// buffers, one for bytes as stored and one for text, each has at most `bufferSize` bytes.
  init(
    _ opened: consuming OpenInput,
    _ catalog: InputCatalog,
    limits: ReadLimits,
    bufferSize: Int = RecordStream.bufferSize
  ) throws(PipelineFailure) {
    self.catalog = catalog
    let input = opened.input
    let reading = limits.reading(in: input.form)
    let plan = try catalog.plan(
      input.path,
      opened.identity,
      reading: reading
    ) { depth throws(PipelineFailure) in
      do throws(FileFailure) {
        return try Self.scan(opened, limits, depth, catalog.seed(in: input.form), bufferSize)
      } catch {
        throw .read(error)
      }
    } isCompressed: { () throws(PipelineFailure) in
      do throws(FileFailure) { return try opened.content.isCompressed() } catch { throw .read(error) }
    }
    var knownEnd: InputEnd?
    switch plan {
    case .read(let input): known = input
    case .skip(let path, let alias):
      known = alias
      knownEnd = .known(path: path)
    case .refuse(let before):
      throw .read(
        FileFailure(
          .io,
          input.path,
          "The file has changed since \(before.records) of its records were committed",
          advice: "Restore it, or begin with other directories"
        )
      )
    }
    self.input = input
    self.knownEnd = knownEnd
    skipped = known?.records ?? 0
    let byteCount = opened.identity?.byteCount
    let content = ContentDigest(seed: catalog.seed(in: input.form))
    do {
      stream = try RecordStream(
        opened.content,
        path: input.path,
        byteCount: byteCount,
        limits: limits,
        content: content,
        bufferSize: bufferSize,
        firstLine: input.firstLine,
        form: input.form
      )
    } catch { throw .read(error) }
  }

  /// Reads an open input to compute its content digest, and goes back to its start.
  private static func scan(
    _ opened: borrowing OpenInput,
    _ limits: ReadLimits,
    _ depth: ScanDepth,
    _ seed: UInt64,
    _ bufferSize: Int
  ) throws(FileFailure) -> ContentDigest {
    let copy = try opened.content.duplicate()
    var limits = limits
    let content: ContentDigest
    switch depth {
    case .firstRecord:
      limits = ReadLimits(recordBytes: limits.recordBytes, batchBytes: limits.batchBytes, batchRecords: 1)
      content = ContentDigest(seed: seed)
    case .all(let watched):
      content = ContentDigest(seed: seed, watching: watched)
    }
    let stream = try RecordStream(
      copy,
      path: opened.input.path,
      byteCount: opened.identity?.byteCount,
      limits: limits,
      content: content,
      bufferSize: bufferSize,
      form: opened.input.form
    )
    while !stream.isFinished {
      try stream.fill()
      _ = stream.take()
      if case .firstRecord = depth { break }
    }
    try opened.content.rewind()
    return stream.content
  }

  /// Returns the next batch; nil after the one with the input's end.
  func nextBatch() throws(FileFailure) -> RawBatch? {
    guard !isEnded else { return nil }
    if let knownEnd {
      isEnded = true
      return batch([], [], consumed: input.byteCount ?? 0, knownEnd)
    }
    while true {
      try stream.fill()
      let content = stream.content
      let end = content.count
      var (bytes, records) = stream.take()
      let old = Int(clamping: skipped - (end - Int64(records.count)))
      if old > 0 { records.removeFirst(min(old, records.count)) }
      guard !records.isEmpty || stream.isFinished else { continue }
      isEnded = stream.isFinished
      if records.isEmpty { bytes = [] }
      records = divided(records, &bytes)
      if end >= skipped {
        known?.records = end
        known?.digest = content.value
        known?.prefixDigest = content.prefix
        known?.firstDigest = content.first
      }
      known?.phase = isEnded ? .complete : .partial
      return batch(bytes, records, consumed: stream.consumed, isEnded ? .finished : nil)
    }
  }

  /// Returns the records, with the elements in place of each one that holds several. The checkpoint counts those that were read.
  private func divided(_ records: [Record], _ bytes: inout [UInt8]) -> [Record] {
    guard var divider = RecordDivider(input.form.mapping) else { return records }
    var divided: [Record] = []
    for record in records {
      guard record.defect == nil, RecordStream.isHarmless(elementCount, in: stream.consumed),
        let elements = divider.elements(of: record.bytes, in: &bytes)
      else {
        divided.append(record)
        continue
      }
      elementCount += Int64(elements.count)
      divided += elements.map { Record(bytes: $0, line: record.line, defect: nil) }
    }
    return divided
  }

  /// Ends an input whose reading failed, and returns a batch without records that reports the failure.
  func fail(_ failure: FileFailure) -> RawBatch {
    isEnded = true
    known?.phase = .complete
    return batch([], [], consumed: stream.consumed, .failed(reason: failure.reason))
  }

  /// Returns a batch without records that reports the failure of an input that cannot be read at all.
  static func failed(_ input: InputFile, _ failure: FileFailure) -> RawBatch {
    let checkpoint = InputCheckpoint(input: nil, end: .failed(reason: failure.reason))
    let origin = BatchOrigin(input: input, recordCount: 0, consumed: 0, checkpoint: checkpoint)
    return RawBatch(bytes: [], records: [], origins: [origin])
  }

  private func batch(_ bytes: [UInt8], _ records: [Record], consumed: Int64, _ end: InputEnd?) -> RawBatch {
    if let known { catalog.note(known) }
    let checkpoint = InputCheckpoint(input: known, end: end)
    var input = input
    input.csvHeader = stream.csvHeader
    let origin = BatchOrigin(input: input, recordCount: records.count, consumed: consumed, checkpoint: checkpoint)
    return RawBatch(bytes: bytes, records: records, origins: [origin])
  }
}
