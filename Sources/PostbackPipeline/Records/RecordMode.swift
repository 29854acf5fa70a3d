internal import Base
internal import ConversionModel
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import Signatures
internal import Tables

/// The pipeline in pieces that another program, such as Spark, distributes: each reads lines and writes lines, and keeps
/// nothing.
///
/// `records` frames, `verify` parses and verifies, and `finish` deduplicates, decodes and encodes, with the stages of
/// `Pipeline`. Between the last two the lines must be sorted by `postback_key`, and those of a key by their position.
package struct RecordMode: Sendable {
  private let settings: PipelineSettings
  private let receivedAt: ReceivedAtRule
  private let format: RowFormat
  private let secret: LineSecret?
  private let writesBlocks: Bool
  private let jobs: Int

  /// Record mode with the settings of a run, and the secret of the job if it has one. With `writesBlocks`, `finish` writes
  /// blocks of rows.
  package init(
    settings: PipelineSettings,
    receivedAt: ReceivedAtRule,
    keepsRawBodies: Bool,
    keepsAddresses: Bool,
    secret: LineSecret?,
    writesBlocks: Bool,
    jobs: Int
  ) {
    self.settings = settings
    self.receivedAt = receivedAt
    format = RowFormat(
      TableEncoding(writesBlocks ? [.jsonLines, .csv] : [.jsonLines], keepsRawBodies: keepsRawBodies),
      keepsAddresses: keepsAddresses
    )
    self.secret = secret
    self.writesBlocks = writesBlocks
    self.jobs = jobs
  }

  /// Frames the records of inputs, and hands each batch of lines to `write`. The source of the records is `name`, or the
  /// path of their input.
  package func records(
    of inputs: [InputFile],
    name: String?,
    _ write: ([UInt8]) throws -> Void
  ) async throws {
    var iterator = PostbackReader(inputs: inputs, limits: settings.limits).makeAsyncIterator()
    var (input, place) = (InputFile?.none, RecordPlace(InputFile(path: "")))
    while let batch = try await iterator.next() {
      var text = RecordText(capacity: batch.bytes.count * 2)
      var records = batch.records[...]
      for origin in batch.origins {
        if origin.input != input { (input, place) = (origin.input, RecordPlace(origin.input, name: name)) }
        for record in records.prefix(origin.recordCount) {
          (place.line, place.index) = (record.line, record.line == place.line ? place.index + 1 : 0)
          text.append(place, text: batch.bytes.span.extracting(record.bytes.indices), record.defect)
        }
        records = records.dropFirst(origin.recordCount)
      }
      try write(text.bytes)
    }
  }

  /// Parses and verifies the records of standard input, and hands each batch of lines to `write`.
  package func verify(_ write: ([UInt8]) throws -> Void) async throws {
    var receivedAt = receivedAt
    receivedAt.prefersModificationTime = true
    let (rule, settings, format, secret) = (receivedAt, settings, format, secret)
    let texts = RecordBatches(command: .verify, limits: settings.limits)
      .mapConcurrently(jobs) { batch throws(PipelineFailure) in try batch.verified(settings, rule, format, secret) }
    for try await text in texts { try write(text) }
  }

  /// Deduplicates and decodes the records that `verify` accepted, and hands the rows of each batch to `write`.
  ///
  /// With the secret of the job, verdicts are restored from lines that have a proof; without one, signatures are verified.
  package func finish(_ write: ([UInt8]) throws -> Void) async throws {
    var receivedAt = receivedAt
    receivedAt.prefersModificationTime = true
    let (rule, settings, format) = (receivedAt, settings, format)
    let batches = RecordBatches(command: .finish, limits: settings.limits, secret: secret)
      .mapConcurrently(jobs) { batch throws(PipelineFailure) in
        (batch: batch, restored: try batch.restored(settings, rule, format))
      }
    var last: RecentIndex.Seen?
    for try await (batch, restored) in batches {
      // The lines are sorted by key, so that of all earlier ones only the last key can come again.
      let index = SeenIndex((last.map { [$0] } ?? []) + batch.seen)
      let unique = try restored.deduplicated(in: index)
      if let key = batch.lastKey { last = index.recentEntry(for: key) ?? last }
      let decoded = unique.decoded(with: settings.models)
      try write(
        writesBlocks
          ? try decoded.blocks(format, passing: batch.rejects) : try decoded.lines(format, passing: batch.rejects)
      )
    }
  }
}

extension RecordBatch {
  /// Parses and verifies the records, and returns a line for each.
  fileprivate consuming func verified(
    _ settings: PipelineSettings,
    _ rule: ReceivedAtRule,
    _ format: RowFormat,
    _ secret: LineSecret?
  ) throws(PipelineFailure) -> [UInt8] {
    let (records, indices) = (raw.records, indices)
    let verified = try raw.parsed(receivedAt: rule, keepsAddresses: format.keepsAddresses)
      .verified(by: settings.trust, known: settings.known)
    var rejects = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
      try verified.rejects.encoded(as: format).rows.rejects
    }
    var text = RecordText(capacity: 2 * verified.bytes.count)
    var next = 0
    for origin in verified.origins {
      var place = RecordPlace(origin.input)
      for index in next..<next + origin.recordCount {
        (place.line, place.index) = (records[index].line, indices[index])
        let start = text.bytes.count
        switch verified.outcomes[index] {
        case .accepted(let accepted):
          text.append(accepted, place, text: verified.bytes.span.extracting(records[index].bytes.indices))
        case .rejected: text.append(reject: rejects.popLine(), place)
        }
        guard let secret else { continue }
        try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
          try text.authenticate(lineFrom: start, with: secret)
        }
      }
      next += origin.recordCount
    }
    return text.bytes
  }

  /// Parses the records again, and joins each with its verdict: one that is restored, or else a new one that says the same.
  fileprivate func restored(
    _ settings: PipelineSettings,
    _ rule: ReceivedAtRule,
    _ format: RowFormat
  ) throws(PipelineFailure) -> Batch<Verified> {
    let parsed = raw.parsed(receivedAt: rule, keepsAddresses: format.keepsAddresses)
    let joined: Batch<Verified>
    let verdicts: [ClaimedVerdict]
    if restored.isEmpty {
      joined = try parsed.verified(by: settings.trust, known: settings.known)
      verdicts = claimed
    } else {
      joined = try parsed.restored(restored, by: settings.trust)
      verdicts = restored.map(\.verdict)
    }
    for (index, (outcome, verdict)) in zip(joined.outcomes, verdicts).enumerated() {
      if case .accepted(let verified) = outcome, verdict.fits(verified, in: joined.bytes) { continue }
      throw RecordLines.failure(
        line: lines[index],
        "postback records verify does not accept its record with this verdict",
        advice: "Give finish the options of verify, and the lines as verify wrote them"
      )
    }
    return joined
  }
}

extension Batch<Verified> {
  /// The rejected records alone.
  fileprivate var rejects: Batch<Decoded> {
    var rejects = Batch<Decoded>(bytes: bytes, outcomes: [], origins: [])
    var rest = outcomes[...]
    for var origin in origins {
      let before = rejects.outcomes.count
      for case .rejected(let rejection) in rest.prefix(origin.recordCount) {
        rejects.outcomes.append(.rejected(rejection))
      }
      rest = rest.dropFirst(origin.recordCount)
      origin.recordCount = rejects.outcomes.count - before
      rejects.origins.append(origin)
    }
    return rejects
  }
}

extension Batch<Decoded> {
  /// Returns the rows of all outcomes in order, and before each the rejects that stand there.
  fileprivate func lines(
    _ format: RowFormat,
    passing rejects: [RecordBatch.Reject]
  ) throws(LibcryptoFailure) -> [UInt8] {
    let encoded = try encoded(as: format)
    var rows = encoded.rows
    var passed = rejects[...]
    var firsts = encoded.firsts[...]
    var text = RecordText(capacity: rows.all.reduce(0) { $0 + $1.count } + 256 * outcomes.count)
    for (index, outcome) in outcomes.enumerated() {
      while let reject = passed.first, reject.place <= index {
        text.append(row: passed.removeFirst().row, table: Table.rejects.name)
      }
      switch outcome {
      case .accepted(let decoded):
        text.append(row: rows.postbacks.popLine(), table: Table.postbacks.name)
        for _ in decoded.decoding.events { text.append(row: rows.events.popLine(), table: Table.events.name) }
        if let first = firsts.popFirst() { text.append(first.seen) }
      case .rejected: text.append(row: rows.rejects.popLine(), table: Table.rejects.name)
      }
    }
    for reject in passed { text.append(row: reject.row, table: Table.rejects.name) }
    return text.bytes
  }

  /// Returns a block of the rows of each table, and one of the rejects that are passed on.
  fileprivate func blocks(
    _ format: RowFormat,
    passing rejects: [RecordBatch.Reject]
  ) throws(LibcryptoFailure) -> [UInt8] {
    let encoded = try encoded(as: format)
    var passed = EncodedRows()
    for reject in rejects { passed.jsonLines += reject.row + [UInt8(ascii: "\n")] }
    passed.count = rejects.count
    var seen = EncodedRows()
    for first in encoded.firsts { RecordText.append(first.seen, asCSV: &seen.csv) }
    seen.count = encoded.firsts.count
    var blocks = zip(Table.all, encoded.portions.all).flatMap { table, portions in
      portions.map { (table: table.name, rows: $0.rows) }
    }
    blocks += [(Table.rejects.name, passed), ("seen_keys", seen)]
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
