internal import Base
internal import DurableFiles
internal import JSON
package import Ledger
package import PostbackPipeline
internal import SKAdNetwork
internal import Signatures
package import TableReading
package import Tables

/// The raw bytes of rejects as records that the pipeline reads again, each with its original source and time.
///
/// Left out are copies, whose first copy is in the tables, rejects that were read again before, and rejects of which not
/// all bytes were kept.
package struct ReprocessedRejects: AsyncSequence {
  package typealias Element = Step<RawBatch>
  package typealias Failure = PipelineFailure

  /// Counts of the rejects that were read, by the decision on each.
  package final class Counts {
    /// The rejects that are read again.
    package fileprivate(set) var takenUp = 0
    /// The rejects that an earlier run has read again.
    package fileprivate(set) var takenUpBefore = 0
    /// The rejects that are themselves rows of such a run, with the same keys and policy: they would be rejected again.
    package fileprivate(set) var decidedBefore = 0
    /// The rejects that are copies.
    package fileprivate(set) var duplicates = 0
    /// The rejects of which not all bytes were kept.
    package fileprivate(set) var notWhole = 0
    /// The rejects that do not meet the conditions.
    package fileprivate(set) var notMatching = 0
    /// The lines that are not rows.
    package fileprivate(set) var unreadable = UnreadableRows()
  }

  /// The counts so far.
  package let counts = Counts()
  /// The parts that are read.
  package let parts: [InputFile]

  private let filter: RowFilter
  private let ledger: Ledger
  private let run: ReprocessingRun

  /// Opens the rejects in the folder of an output that meet all conditions. `ledger` belongs to the tables that the
  /// records are written to.
  package init(
    of folder: String,
    where conditions: [Condition],
    into ledger: Ledger,
    _ settings: RunSettings
  ) throws(PipelineFailure) {
    do throws(FileFailure) {
      let files = try TableFiles(.rejects, at: [folder])
      guard files.isOfWholeRuns else {
        throw FileFailure(
          .notFound,
          folder,
          "This is not the directory of an output",
          advice: "Give the directory that --out named"
        )
      }
      parts = files.inputs
    } catch {
      throw .read(error)
    }
    self.ledger = ledger
    filter = RowFilter(conditions, during: TimeSpan(), in: .rejects)
    let last = parts.compactMap { LedgerPart.number(inName: $0.path) }.max() ?? 0
    run = try PipelineFailure.state { () throws(FileFailure) in
      guard let output = try OutputID.read(in: folder) else { throw .unmarked(folder) }
      return try ledger.makeReprocessingRun(of: output, lastPart: last, settings)
    }
  }

  package func makeAsyncIterator() -> Iterator {
    let rows = PostbackReader(inputs: parts, limits: TableFiles.limits)
    return Iterator(rows: rows.makeAsyncIterator(), filter: filter, ledger: ledger, run: run, counts: counts)
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var rows: PostbackReader.Iterator
    fileprivate let filter: RowFilter
    fileprivate let ledger: Ledger
    fileprivate let run: ReprocessingRun
    fileprivate let counts: Counts
    fileprivate var hash: SHA256Owner?
    private let columns = RejectColumns()

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Step<RawBatch>?
    {
      while let batch = try await rows.next(isolation: actor) {
        let records = try records(of: batch)
        if !records.records.isEmpty { return .batch(records) }
      }
      return nil
    }

    private mutating func records(of batch: RawBatch) throws(PipelineFailure) -> RawBatch {
      let consumed = batch.origins.last?.consumed ?? 0
      var records = RawBatch(bytesToAdd: batch.bytes.count)
      let parts = Dictionary(batch.origins.map { ($0.input.path, $0.input) }) { first, _ in first }
      var row = RowCursor(batch, of: .rejects)
      while row.next() {
        guard filter.matches(row) else {
          counts.notMatching += 1
          continue
        }
        guard let (raw, record) = try record(row) else { continue }
        guard let part = parts[row.source.path] else { continue }
        records.append(raw, record, from: part, consumed: consumed)
        counts.takenUp += 1
      }
      counts.unreadable += row.unreadable
      return records
    }

    /// Returns the record of a row; nil if it is left out.
    private mutating func record(_ row: borrowing RowCursor) throws(PipelineFailure) -> ([UInt8], ReprocessedRecord)? {
      guard let code = row.text(columns.code).flatMap({ RejectCode(rawValue: $0) }) else {
        // The code is of a later version of the program, or of another program.
        counts.notMatching += 1
        return nil
      }
      guard code.stage != .dedup else {
        counts.duplicates += 1
        return nil
      }
      let (path, line) = row.source
      guard code != .tooLarge, code != .truncatedInput, let raw = row.rawBody(columns.body, base64: columns.bodyBase64),
        let file = row.text(columns.file), let sourceLine = row.integer(columns.line).flatMap({ Int(exactly: $0) }),
        let part = LedgerPart.number(inName: path), let line, let digest = try wholeDigest(of: raw, row)
      else {
        counts.notWhole += 1
        return nil
      }
      let reject = ReprocessedReject(
        run: run,
        place: (part, line),
        source: (file, sourceLine),
        digest: digest,
        code: code
      )
      switch try PipelineFailure.state({ () throws(FileFailure) in try ledger.history(of: reject) }) {
      case .none: break
      case .takenUp:
        counts.takenUpBefore += 1
        return nil
      case .decided:
        counts.decidedBefore += 1
        return nil
      }
      let receivedAt = row.time(columns.receivedAt).map { Timestamp(milliseconds: $0) }
      // Rows of earlier versions do not have the source. Their time then ranks as the modification time of a file.
      let source = row.text(columns.receivedAtSource).flatMap { ReceivedAtSource(rawValue: $0) } ?? .fileModified
      let record = ReprocessedRecord(
        reject: reject,
        receivedAt: receivedAt,
        source: receivedAt.map { _ in source },
        channel: row.text(columns.channel).flatMap { Channel(rawValue: $0) },
        forwarder: row.cell(columns.forwarder).map { Array(row.bytes[$0.indices]) },
        query: row.cell(columns.query).map { Array(row.bytes[$0.indices]) },
        remoteAddress: row.cell(columns.address).map { Array(row.bytes[$0.indices]) }
      )
      return (raw, record)
    }

    /// Returns the digest of the bytes; nil if the row has another one, because not all bytes of the record were kept.
    private mutating func wholeDigest(
      of raw: [UInt8],
      _ row: borrowing RowCursor
    ) throws(PipelineFailure) -> SHA256Digest? {
      do throws(LibcryptoFailure) {
        if hash == nil { hash = try SHA256Owner() }
        guard let hash else { return nil }
        let digest = try hash.value.digest(of: raw.span)
        var text: [UInt8] = []
        text.appendHexadecimal(digest.bytes.span)
        return row.cell(columns.digest).map { text.elementsEqual(row.bytes[$0.indices]) } ?? false ? digest : nil
      } catch {
        throw .libcrypto(error)
      }
    }
  }

  /// A hash that copies of an iterator share.
  fileprivate final class SHA256Owner {
    var value: SHA256

    init() throws(LibcryptoFailure) { value = try SHA256() }
  }
}

extension FileFailure {
  /// The failure for an output without an id, for which no ledger can record the rejects that were read again.
  fileprivate static func unmarked(_ folder: String) -> FileFailure {
    FileFailure(
      .incompatible,
      folder,
      "The directory has no file \(OutputID.fileName), because an earlier version of the program has written it",
      advice: "Run postback run with --out \(folder.shellWord) once, which creates the file"
    )
  }
}
