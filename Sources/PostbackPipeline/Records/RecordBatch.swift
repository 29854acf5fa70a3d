internal import Base
internal import JSON
internal import Ledger
internal import PostbackVerification
internal import Signatures

/// A batch of the lines that `finish` reads.
struct RecordBatch: Sendable {
  /// The claim of a line about its record, which proves nothing: anybody can write a line.
  struct Claim: Sendable {
    /// The key by which the line was distributed; nil where its record is no postback.
    let key: PostbackKey?
    /// The number of the line in the input of this process.
    let line: Int
  }

  /// The records.
  var raw = RawBatch(bytes: [], records: [], origins: [])
  /// The claim about each record.
  var claims: [Claim] = []
  /// The entries of postbacks that were accepted in earlier batches of the job.
  var seen: [RecentIndex.Seen] = []

  /// True if nothing was read.
  var isEmpty: Bool { raw.records.isEmpty && seen.isEmpty }

  func isFull(_ limits: ReadLimits) -> Bool {
    raw.bytes.count >= limits.batchBytes || raw.records.count + seen.count >= limits.batchRecords
  }
}

/// The batches of the lines on standard input.
///
/// Memory is bounded by a batch and a line.
struct RecordBatches: AsyncSequence {
  typealias Element = RecordBatch
  typealias Failure = PipelineFailure

  let limits: ReadLimits

  func makeAsyncIterator() -> Iterator { Iterator(reader: RecordBatchReader(limits)) }

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
  private let limits: ReadLimits
  private let lines = RecordLines(OpenFile(descriptor: 0, path: InputFile.standardInput))
  /// The input of the last record, with the texts that it was made of.
  private var input = (file: [UInt8](), modified: [UInt8]?.none, InputFile(path: ""))
  private var hasRecords = false
  private var scratch: [UInt8] = []

  init(_ limits: ReadLimits) { self.limits = limits }

  /// Returns the next batch; nil at the end.
  func next() throws(PipelineFailure) -> RecordBatch? {
    var batch = RecordBatch()
    batch.raw.bytes.reserveCapacity(limits.batchBytes + limits.batchBytes / 4)
    while !batch.isFull(limits), try lines.next() {
      if lines[.seen].kind == .true {
        batch.seen.append(try seen())
      } else {
        try addRecord(to: &batch)
        hasRecords = true
      }
    }
    guard !batch.isEmpty else { return nil }
    batch.raw.bytes.append(contentsOf: repeatElement(0, count: RawBatch.padding))
    return batch
  }

  /// Returns the entry of a row of seen keys.
  private func seen() throws(PipelineFailure) -> RecentIndex.Seen {
    if let member = lines.members.first(where: { !RecordMember.ofSeenKeys.contains($0) }) {
      throw lines.broken(
        "it has \"seen\":true, as rows of seen_keys have, and the member \(member.rawValue), as they have not"
      )
    }
    guard !hasRecords else { throw lines.broken("the row of a key that was seen comes after a record") }
    let key = try lines.required(.postbackKey, try lines.postbackKey())
    let digest = try lines.required(.contentDigest, try lines.integer(.contentDigest))
    let unsigned = try lines.required(.unsignedFields, try lines.integer(.unsignedFields))
    guard let digest = UInt32(exactly: digest), unsigned < 1 << 31 else {
      throw lines.broken("its content_digest or unsigned_fields is out of range")
    }
    let content = SortedSegment.Content(digest: digest, unsigned: UInt32(unsigned))
    return RecentIndex.Seen(key: key, content: content, number: try lines.integer(.unsignedNumber, from: .min))
  }

  /// Adds the record of a line.
  private func addRecord(to batch: inout RecordBatch) throws(PipelineFailure) {
    let input = try inputFile()
    let line = try lines.required(.sourceLine, try lines.integer(.sourceLine, from: 1))
    let key = try lines.postbackKey()
    var defect: FramingDefect?
    let start = batch.raw.bytes.count
    if let reason = try lines.bytes(.truncated) {
      defect = .truncatedInput(String(decoding: reason, as: UTF8.self))
      batch.raw.bytes += try text()
    } else {
      let text = try text().drop { $0.isWhitespace }
      let solid = text.prefix((text.lastIndex { !$0.isWhitespace } ?? text.startIndex - 1) + 1 - text.startIndex)
      guard !solid.isEmpty else { throw lines.broken("its record is empty") }
      batch.raw.bytes += solid.prefix(limits.recordBytes)
      defect = try self.defect(text, solid.count)
    }
    let range = ByteRange(start: start, count: batch.raw.bytes.count - start)
    batch.raw.records.append(Record(bytes: range, line: Int(line), defect: defect))
    batch.claims.append(RecordBatch.Claim(key: key, line: lines.number))
    if let last = batch.raw.origins.indices.last, batch.raw.origins[last].input == input {
      batch.raw.origins[last].recordCount += 1
    } else {
      batch.raw.origins.append(BatchOrigin(input: input, recordCount: 1, consumed: 0))
    }
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
