internal import JSON
internal import Signatures

/// Collects the bytes of one record after the other into a batch.
///
/// Keeps at most the first `limits.recordBytes` bytes of a record, and counts and hashes the rest of a longer one.
/// `hold()` keeps at most as many bytes again, which can still become a record of their own.
struct RecordCollector: ~Copyable {
  /// The limits on the part of the input that is held in memory.
  let limits: ReadLimits
  /// The number of bytes that are reserved for a new batch.
  private let capacity: Int
  private var digest: SHA256
  private var bytes: [UInt8] = []
  private var records: [Record] = []
  /// The content digest of all records so far.
  private(set) var content: ContentDigest

  /// True if a record was begun and not ended.
  private(set) var isOpen = false
  /// The line where the open record begins, from 1.
  private(set) var openLine = 0
  /// The index in `bytes` where the open record begins.
  private var openStart = 0
  /// The length of the open record in bytes.
  private(set) var openCount = 0
  /// The length of the open record in bytes, without the white space at its end.
  private(set) var solidCount = 0
  /// The number of bytes of the open record that were hashed, 0 unless it is longer than `limits.recordBytes`. Of the
  /// hashed bytes only the first `limits.recordBytes` are kept.
  private var hashedCount = 0
  /// The offset from which on all bytes of the open record are kept, and the value of `solidCount` there; nil if no
  /// bytes are held.
  private var held: (offset: Int, solidCount: Int)?

  init(limits: ReadLimits, content: ContentDigest, capacity: Int?) throws(LibcryptoFailure) {
    self.limits = limits
    self.capacity = capacity ?? limits.batchBytes + min(limits.recordBytes, limits.batchBytes) + RawBatch.padding
    digest = try SHA256()
    self.content = content
  }

  /// True if the batch should be taken before more is framed. A record may be open then, and begins the next batch.
  var isFull: Bool {
    (isOpen ? openStart : bytes.count) >= limits.batchBytes || records.count >= limits.batchRecords
  }

  /// True if the open record, without the white space at its end, is longer than `limits.recordBytes`.
  var isTooLarge: Bool { solidCount > limits.recordBytes }

  /// True if a part of the open record was hashed and may not be kept: the record can then be cut only at `heldOffset`.
  var isLossy: Bool { hashedCount > 0 }

  /// The offset in the open record from which on all bytes are kept; nil without `hold()`, or once the held bytes are
  /// more than `limits.recordBytes`.
  var heldOffset: Int? { held?.offset }

  /// Begins a record.
  mutating func begin(line: Int) {
    if bytes.isEmpty { bytes.reserveCapacity(capacity) }
    isOpen = true
    openLine = line
    openStart = bytes.count
    openCount = 0
    solidCount = 0
    hashedCount = 0
    held = nil
  }

  /// Keeps all bytes that are added to the open record from here on, until they are more than `limits.recordBytes`.
  mutating func hold() throws(LibcryptoFailure) {
    if openCount > limits.recordBytes { try hash() }
    held = (openCount, solidCount)
  }

  /// Adds bytes to the open record.
  mutating func extend(_ fragment: Span<UInt8>) throws(LibcryptoFailure) {
    var solid = fragment.count
    while solid > 0, fragment[solid - 1].isWhitespace { solid -= 1 }
    if solid > 0 { solidCount = openCount + solid }
    if let held {
      if openCount + fragment.count - held.offset <= limits.recordBytes {
        bytes.append(copying: fragment)
        openCount += fragment.count
        return
      }
      self.held = nil
      if openCount > limits.recordBytes { try hash() }
    }
    let kept = min(fragment.count, max(0, limits.recordBytes - openCount))
    bytes.append(copying: fragment.extracting(first: kept))
    openCount += kept
    guard kept < fragment.count else { return }
    if hashedCount < openCount { try hash() }
    try digest.update(fragment.extracting(droppingFirst: kept))
    openCount += fragment.count - kept
    hashedCount = openCount
  }

  /// Hashes the bytes of the open record that are not hashed yet, and keeps only its first `limits.recordBytes` bytes.
  private mutating func hash() throws(LibcryptoFailure) {
    let firstEnd = openStart + min(limits.recordBytes, openCount)
    do {
      let bytes = bytes
      try digest.update(bytes.span.extracting((hashedCount == 0 ? openStart : firstEnd)...))
    }
    bytes.removeLast(bytes.count - firstEnd)
    hashedCount = openCount
  }

  /// Ends the open record at `offset`, and returns its bytes from there on, which must all be kept.
  mutating func cut(at offset: Int) throws(LibcryptoFailure) -> [UInt8] {
    let index = openStart + (isLossy ? limits.recordBytes + offset - hashedCount : offset)
    let rest = Array(bytes[index...])
    bytes.removeLast(rest.count)
    openCount = offset
    if isLossy {
      solidCount = held?.solidCount ?? offset
    } else {
      solidCount = offset
      while solidCount > 0, bytes[openStart + solidCount - 1].isWhitespace { solidCount -= 1 }
    }
    try end()
    return rest
  }

  /// Ends the open record, without the white space at its end.
  ///
  /// A record that is too large gets the defect `tooLarge` in place of `defect`.
  mutating func end(defect: FramingDefect? = nil) throws(LibcryptoFailure) {
    isOpen = false
    var defect = defect
    if openCount > limits.recordBytes {
      if hashedCount < openCount { try hash() }
      let digest = try digest.finish()
      if isTooLarge { defect = .tooLarge(byteCount: openCount, digest: digest) }
    }
    let count = min(solidCount, limits.recordBytes)
    bytes.removeLast(bytes.count - openStart - count)
    if case .tooLarge(_, let digest) = defect {
      let whole = digest.bytes
      content.add(whole.span)
    } else {
      let bytes = bytes
      content.add(bytes.span.extracting(openStart...))
    }
    records.append(Record(bytes: ByteRange(start: openStart, count: count), line: openLine, defect: defect))
  }

  /// Takes the complete records, and their bytes with the padding behind them. The open record begins the next batch.
  mutating func take() -> (bytes: [UInt8], records: [Record]) {
    let open = isOpen ? Array(bytes[openStart...]) : []
    bytes.removeLast(open.count)
    bytes.append(contentsOf: repeatElement(0, count: RawBatch.padding))
    defer { (bytes, records, openStart) = (open, [], 0) }
    return (bytes, records)
  }
}
