internal import Base
internal import ConversionModel
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import Signatures
internal import Tables

/// The pipeline in two pieces that another program, such as Spark, distributes: each reads records and writes lines, and
/// keeps nothing.
///
/// `read` frames and finds the key of each postback, and `finish` does all the rest, with the stages of `Pipeline`. All lines
/// of a key must come to the same `finish`, in the order of the inputs.
package struct RecordMode: Sendable {
  private let settings: PipelineSettings
  private var receivedAt: ReceivedAtRule
  private let format: RowFormat
  private let writesBlocks: Bool
  private let jobs: Int

  /// The numbers of partitions that `read` takes.
  package static let partitions = 1...65536

  /// Record mode with the settings of a run. With `writesBlocks`, `finish` writes blocks of rows.
  package init(
    settings: PipelineSettings,
    receivedAt: ReceivedAtRule,
    keepsRawBodies: Bool,
    keepsAddresses: Bool,
    writesBlocks: Bool,
    jobs: Int
  ) {
    self.settings = settings
    self.receivedAt = receivedAt
    self.receivedAt.prefersModificationTime = true
    format = RowFormat(
      TableEncoding(writesBlocks ? [.jsonLines, .csv] : [.jsonLines], keepsRawBodies: keepsRawBodies),
      keepsAddresses: keepsAddresses
    )
    self.writesBlocks = writesBlocks
    self.jobs = jobs
  }

  /// Frames the records of inputs, and hands lines with them and their keys to `write`, or blocks of lines for some
  /// partitions. The source of the records is `name`, or the path of their input.
  package func read(
    _ inputs: [InputFile],
    name: String?,
    partitions: Int?,
    _ write: ([UInt8]) throws -> Void
  ) async throws {
    var keys = try RecordKeys()
    var blocks = RecordBlocks(partitions: partitions)
    var iterator = PostbackReader(inputs: inputs, limits: settings.limits).makeAsyncIterator()
    var (input, place) = (InputFile?.none, RecordPlace(InputFile(path: "")))
    while let raw = try await iterator.next() {
      let records = raw.records
      let batch = raw.parsed(receivedAt: receivedAt)
      var index = 0
      for origin in batch.origins {
        if origin.input != input { (input, place) = (origin.input, RecordPlace(origin.input, name: name)) }
        for _ in 0..<origin.recordCount {
          let (record, key) = (records[index], try keys.key(of: batch.outcomes[index], in: batch.bytes))
          (place.line, place.index) = (record.line, record.line == place.line ? place.index + 1 : 0)
          let text = batch.bytes.span.extracting(record.bytes.indices)
          try blocks.append(key, place, text: text, record.defect, write)
          index += 1
        }
      }
    }
    try blocks.writeAll(write)
  }

  /// Verifies, deduplicates and decodes the records of the lines on standard input, and hands the rows of each batch to
  /// `write`.
  package func finish(_ write: ([UInt8]) throws -> Void) async throws {
    let (receivedAt, settings, format) = (receivedAt, settings, format)
    let index = SeenIndex()
    let batches = RecordBatches(limits: settings.limits).mapConcurrently(jobs) { batch throws(PipelineFailure) in
      (seen: batch.seen, verified: try batch.verified(settings, receivedAt, format, index))
    }
    for try await (seen, verified) in batches {
      _ = try index.admit(seen.map { SeenIndex.Candidate($0) })
      let decoded = try verified.deduplicated(in: index).decoded(with: settings.models)
      try write(writesBlocks ? try decoded.blocks(format) : try decoded.lines(format))
    }
  }
}

extension RecordBatch {
  /// Parses and verifies the records, as a run does. Throws where an accepted one has another key than its line says: its
  /// copies may be elsewhere.
  fileprivate consuming func verified(
    _ settings: PipelineSettings,
    _ rule: ReceivedAtRule,
    _ format: RowFormat,
    _ index: SeenIndex
  ) throws(PipelineFailure) -> Batch<Verified> {
    let lines = claims
    let batch = try raw.parsed(receivedAt: rule, keepsAddresses: format.keepsAddresses)
      .verified(by: settings.trust, known: settings.known, index)
    for case (.accepted(let verified), let claim) in zip(batch.outcomes, lines) where verified.key != claim.key {
      throw RecordLines.failure(
        line: claim.line,
        "its postback_key is not that of its record, \(verified.key)",
        advice: "Give finish the options of read, and the lines as read wrote them"
      )
    }
    return batch
  }
}

/// Computes the keys of records.
private struct RecordKeys: ~Copyable {
  private var hash: SHA256
  private var buffer: [UInt8] = []

  init() throws(LibcryptoFailure) { hash = try SHA256() }

  /// Returns the key of a record; nil if it is no postback.
  mutating func key(of outcome: Outcome<Parsed>, in bytes: [UInt8]) throws(LibcryptoFailure) -> PostbackKey? {
    guard case .accepted(let parsed) = outcome else { return nil }
    return try PostbackKey(of: parsed.postback, in: bytes, &hash, &buffer)
  }
}

extension Batch<Decoded> {
  /// Returns the rows of all outcomes in order.
  fileprivate func lines(_ format: RowFormat) throws(LibcryptoFailure) -> [UInt8] {
    let encoded = try encoded(as: format)
    var rows = encoded.rows
    var firsts = encoded.firsts[...]
    var text = RecordText(capacity: rows.all.reduce(0) { $0 + $1.count } + 256 * outcomes.count)
    for outcome in outcomes {
      switch outcome {
      case .accepted(let decoded):
        text.append(row: rows.postbacks.popLine(), table: Table.postbacks.name)
        for _ in decoded.decoding.events { text.append(row: rows.events.popLine(), table: Table.events.name) }
        if let first = firsts.popFirst() { text.append(first.seen) }
      case .rejected: text.append(row: rows.rejects.popLine(), table: Table.rejects.name)
      }
    }
    return text.bytes
  }

  /// Returns a block of the rows of each table.
  fileprivate func blocks(_ format: RowFormat) throws(LibcryptoFailure) -> [UInt8] {
    let encoded = try encoded(as: format)
    var seen = EncodedRows()
    for first in encoded.firsts { RecordText.append(first.seen, asCSV: &seen.csv) }
    seen.count = encoded.firsts.count
    var blocks = zip(Table.all, encoded.portions.all).flatMap { table, portions in
      portions.map { (table: table.name, rows: $0.rows) }
    }
    blocks.append(("seen_keys", seen))
    var text = RecordText(capacity: blocks.reduce(0) { $0 + $1.rows.jsonLines.count + $1.rows.csv.count + 128 })
    for block in blocks where block.rows.count > 0 { text.append(block: block.rows, table: block.table) }
    return text.bytes
  }
}

extension EncodedBatch {
  /// The rows as JSON Lines, by table.
  fileprivate var rows: TableValues<ArraySlice<UInt8>> { portions.map { $0.first?.rows.jsonLines[...] ?? [] } }
}

extension ArraySlice<UInt8> {
  /// Removes the first line, and returns it without its end.
  fileprivate mutating func popLine() -> ArraySlice<UInt8> {
    let count = span.lineEnd(from: 0) ?? count
    defer { self = dropFirst(count + 1) }
    return prefix(count)
  }
}
