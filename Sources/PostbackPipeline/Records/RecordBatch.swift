internal import Base
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import SKAdNetwork
internal import Signatures
internal import Tables

/// A batch of lines of record mode.
struct RecordBatch: Sendable {
  /// The row of a record that `verify` rejected.
  struct Reject: Sendable {
    /// The number of records of the batch before it.
    let place: Int
    /// The row as JSON.
    let row: [UInt8]
  }

  /// The records.
  var raw = RawBatch(bytes: [], records: [], origins: [])
  /// The place of each record among those that begin on the same line.
  var indices: [Int64] = []
  /// The number of the line of each record in the input of this process.
  var lines: [Int] = []
  /// The verdict that the line of each record claims; for `finish` without a secret.
  var claimed: [ClaimedVerdict] = []
  /// The verdict that is restored from the line of each record; for `finish` with a secret.
  var restored: [RestoredVerdict] = []
  /// The entries of postbacks that were accepted in earlier batches of the job.
  var seen: [RecentIndex.Seen] = []
  /// The key of the last line that has one, a record or a seen key.
  var lastKey: PostbackKey?
  /// The rejects that are passed on.
  var rejects: [Reject] = []

  /// True if nothing was read.
  var isEmpty: Bool { raw.records.isEmpty && seen.isEmpty && rejects.isEmpty }

  func isFull(_ limits: ReadLimits) -> Bool {
    raw.bytes.count >= limits.batchBytes
      || raw.records.count + seen.count + rejects.count >= limits.batchRecords
  }
}

/// The batches of record mode's input.
///
/// Memory is bounded by a batch and a line.
struct RecordBatches: AsyncSequence {
  typealias Element = RecordBatch
  typealias Failure = PipelineFailure

  /// The command that reads the lines.
  enum Command {
    case verify, finish
  }

  let command: Command
  let limits: ReadLimits
  /// The secret of `finish`; without one, what lines claim is verified.
  var secret: LineSecret?

  func makeAsyncIterator() -> Iterator { Iterator(reader: RecordBatchReader(command, limits, secret)) }

  struct Iterator: AsyncIteratorProtocol {
    let reader: RecordBatchReader

    mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> RecordBatch? {
      try reader.next()
    }

    mutating func next() async throws(PipelineFailure) -> RecordBatch? { try reader.next() }
  }
}

/// Reads the lines of standard input into batches.
final class RecordBatchReader {
  private let command: RecordBatches.Command
  private let limits: ReadLimits
  private let secret: LineSecret?
  private let lines = RecordLines(OpenFile(descriptor: 0, path: InputFile.standardInput))
  /// The input of the last record, with the texts that it was made of.
  private var input = (file: [UInt8](), modified: [UInt8]?.none, InputFile(path: ""))
  private var lastKey: PostbackKey?
  private var lastIsRecord = false
  private var scratch: [UInt8] = []

  init(_ command: RecordBatches.Command, _ limits: ReadLimits, _ secret: LineSecret?) {
    (self.command, self.limits, self.secret) = (command, limits, secret)
  }

  /// Returns the next batch; nil at the end.
  func next() throws(PipelineFailure) -> RecordBatch? {
    var batch = RecordBatch()
    batch.raw.bytes.reserveCapacity(limits.batchBytes + limits.batchBytes / 4)
    while !batch.isFull(limits), try lines.next() {
      switch command {
      case .verify: try add(to: &batch)
      case .finish: try addVerified(to: &batch)
      }
    }
    guard !batch.isEmpty else { return nil }
    batch.raw.bytes.append(contentsOf: repeatElement(0, count: RawBatch.padding))
    return batch
  }

  /// Adds a line of `verify`'s output, or a row of seen keys.
  private func addVerified(to batch: inout RecordBatch) throws(PipelineFailure) {
    if lines[.seen].kind == .true { return try addSeen(to: &batch) }
    var proof: LineProof?
    if let secret { proof = try lines.proof(secret) }
    if lines[.table].kind != .absent {
      batch.rejects.append(RecordBatch.Reject(place: batch.raw.records.count, row: Array(try lines.reject())))
      return
    }
    guard lines.hasRecord else {
      throw lines.broken("it has no record. A row of seen_keys needs the member \"seen\":true")
    }
    let seen = try sortedKey(isRecord: true, of: &batch)
    let state = try lines.value(.signatureState) { SignatureState(rawValue: $0) }
    let layout = try lines.value(.signedLayout) { SignedLayout(rawValue: $0) }
    let keyID = try lines.required(.keyID, try lines.bytes(.keyID))
    guard try add(to: &batch) else { throw lines.broken("its record is empty") }
    let name = ByteRange(start: batch.raw.bytes.count, count: keyID.count)
    batch.raw.bytes += keyID
    let claimed = ClaimedVerdict(keyID: name, state: state, layout: layout, seen: seen)
    if let proof {
      batch.restored.append(RestoredVerdict(claimed, proof))
    } else {
      batch.claimed.append(claimed)
    }
  }

  /// Adds a row of seen keys, which has no line_mac: it comes from an earlier job, whose secret was another one.
  private func addSeen(to batch: inout RecordBatch) throws(PipelineFailure) {
    if let member = lines.members.first(where: { !RecordMember.ofSeenKeys.contains($0) }) {
      throw lines.broken(
        "it has \"seen\":true, as rows of seen_keys have, and the member \(member.rawValue), as they have not"
      )
    }
    batch.seen.append(try sortedKey(isRecord: false, of: &batch))
  }

  /// Returns the key of a line, with what deduplication compares. Throws if the line is not sorted behind the last one.
  private func sortedKey(
    isRecord: Bool,
    of batch: inout RecordBatch
  ) throws(PipelineFailure) -> RecentIndex.Seen {
    let key = try lines.required(.postbackKey, try lines.postbackKey())
    if let lastKey, (key.high, key.low) < (lastKey.high, lastKey.low) {
      throw lines.broken("the lines are not sorted by postback_key: \(key) comes after \(lastKey)")
    }
    if !isRecord, lastIsRecord, key == lastKey {
      throw lines.broken("the row of a key that was seen comes after a record with that key")
    }
    (lastKey, lastIsRecord, batch.lastKey) = (key, isRecord, key)
    let digest = try lines.required(.contentDigest, try lines.integer(.contentDigest))
    let unsigned = try lines.required(.unsignedFields, try lines.integer(.unsignedFields))
    guard let digest = UInt32(exactly: digest), unsigned < 1 << 31 else {
      throw lines.broken("its content_digest or unsigned_fields is out of range")
    }
    let content = SortedSegment.Content(digest: digest, unsigned: UInt32(unsigned))
    return RecentIndex.Seen(key: key, content: content, number: try lines.integer(.unsignedNumber, from: .min))
  }

  /// Adds the record of a line. Returns false if it is empty, as a blank line of a file is, which is no record.
  @discardableResult
  private func add(to batch: inout RecordBatch) throws(PipelineFailure) -> Bool {
    let input = try inputFile()
    let line = try lines.required(.sourceLine, try lines.integer(.sourceLine, from: 1))
    let index = try lines.integer(.sourceIndex) ?? 0
    var defect: FramingDefect?
    let start = batch.raw.bytes.count
    if let reason = try lines.bytes(.truncated) {
      defect = .truncatedInput(String(decoding: reason, as: UTF8.self))
      batch.raw.bytes += try text()
    } else {
      let text = try text().drop { $0.isWhitespace }
      let solid = text.prefix((text.lastIndex { !$0.isWhitespace } ?? text.startIndex - 1) + 1 - text.startIndex)
      if solid.isEmpty { return false }
      batch.raw.bytes += solid.prefix(limits.recordBytes)
      defect = try self.defect(text, solid.count)
    }
    let range = ByteRange(start: start, count: batch.raw.bytes.count - start)
    batch.raw.records.append(Record(bytes: range, line: Int(line), defect: defect))
    batch.indices.append(index)
    batch.lines.append(lines.number)
    if let last = batch.raw.origins.indices.last, batch.raw.origins[last].input == input {
      batch.raw.origins[last].recordCount += 1
    } else {
      batch.raw.origins.append(BatchOrigin(input: input, recordCount: 1, consumed: 0))
    }
    return true
  }

  /// Returns the bytes of the record.
  private func text() throws(PipelineFailure) -> ArraySlice<UInt8> {
    if let text = try lines.bytes(.record) { return text }
    let encoded = try lines.required(.record, try lines.bytes(.recordBase64))
    scratch.removeAll(keepingCapacity: true)
    guard Base64.standard.decode(encoded.span, appendingTo: &scratch) else {
      throw lines.broken("its record_base64 is not base64 (RFC 4648, section 4)")
    }
    return scratch[...]
  }

  /// Returns the defect of a record that is not truncated: the one that its line names, or that it is too large.
  private func defect(_ text: ArraySlice<UInt8>, _ count: Int) throws(PipelineFailure) -> FramingDefect? {
    if lines[.byteOrderMark].kind == .true { return .byteOrderMark }
    if let digits = try lines.bytes(.sha256) {
      let byteCount = try lines.required(.byteCount, try lines.integer(.byteCount))
      guard let digest = SHA256Digest(hexadecimal: digits.span) else {
        throw lines.broken("its sha256 is not 64 hexadecimal digits in lower case")
      }
      return .tooLarge(byteCount: Int(byteCount), digest: digest)
    }
    guard count > limits.recordBytes else { return nil }
    do throws(LibcryptoFailure) {
      var hash = try SHA256()
      return .tooLarge(byteCount: text.count, digest: try hash.digest(of: text.span))
    } catch { throw .libcrypto(error) }
  }

  /// Returns the input that the line names. Lines of one file follow each other, so that it is mostly the last one.
  private func inputFile() throws(PipelineFailure) -> InputFile {
    let file = try lines.required(.sourceFile, try lines.bytes(.sourceFile))
    let modified = try lines.bytes(.fileModifiedAt)
    if file.elementsEqual(input.file), modified.map(Array.init) == input.modified { return input.2 }
    var milliseconds: Int64?
    if let modified {
      guard let time = Timestamp(parsing: modified.span) else {
        throw lines.broken("its file_modified_at is no time of RFC 3339 from 1970 on")
      }
      milliseconds = time.milliseconds
    }
    let name = String(decoding: file, as: UTF8.self)
    input = (Array(file), modified.map(Array.init), InputFile(path: name, modified: milliseconds))
    return input.2
  }
}

extension SHA256Digest {
  /// Parses 64 hexadecimal digits in lower case; nil for other bytes.
  fileprivate init?(hexadecimal digits: Span<UInt8>) {
    guard digits.count == 64, let high = PostbackKey(hexadecimal: digits.extracting(0..<32)),
      let low = PostbackKey(hexadecimal: digits.extracting(32...))
    else { return nil }
    let words = [high.high, high.low, low.high, low.low] as InlineArray<4, UInt64>
    self.init(InlineArray { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - $0 % 8 * 8)) })
  }
}
