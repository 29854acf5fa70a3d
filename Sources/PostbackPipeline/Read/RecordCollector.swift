internal import JSON
internal import Signatures

/// Collects the bytes of one record after the other into a batch.
///
/// Keeps at most `limits.recordBytes` of a record; of a longer one it counts and hashes the rest. What is held besides, as
/// much again at most, can still become a record of its own.
struct RecordCollector: ~Copyable {
  private let limits: ReadLimits
  /// The room that a batch begins with.
  private let capacity: Int
  private var digest: SHA256
  private var bytes: [UInt8] = []
  private var records: [Record] = []
  /// What all records so far are known by.
  private(set) var content: ContentDigest

  /// Whether a record was begun and not ended.
  private(set) var isOpen = false
  /// The line where the open record begins.
  private(set) var openLine = 0
  /// Where the open record starts in `bytes`.
  private var openStart = 0
  /// The open record's length.
  private(set) var openCount = 0
  /// The open record's length without the white space at its end.
  private(set) var solidCount = 0
  /// The bytes of the open record that were hashed, 0 unless it is too long. Of these only the first are kept.
  private var hashedCount = 0
  /// From where on all of the open record is kept, and the length without white space before.
  private var held: (offset: Int, solidCount: Int)?

  init(limits: ReadLimits, content: ContentDigest, capacity: Int?) throws(LibcryptoFailure) {
    self.limits = limits
    self.capacity = capacity ?? limits.batchBytes + min(limits.recordBytes, limits.batchBytes) + RawBatch.padding
    digest = try SHA256()
    self.content = content
  }

  /// Whether there is nothing to take.
  var isEmpty: Bool { records.isEmpty }

  /// Whether the batch should be taken before more is framed. A record can be open then: what was left of a broken one.
  var isFull: Bool {
    (isOpen ? openStart : bytes.count) >= limits.batchBytes || records.count >= limits.batchRecords
  }

  /// Whether the open record is longer than it may be.
  var isTooLarge: Bool { solidCount > limits.recordBytes }

  /// Whether bytes of the open record are gone: it can be cut only where it is held.
  var isLossy: Bool { hashedCount > 0 }

  /// From where on all of the open record is kept; nil where that was more than a record may have.
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

  /// Keeps what is added to the open record from here on, until that is more than a record may have.
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

  /// Hashes what was not hashed of the open record, and keeps no more than its first bytes.
  private mutating func hash() throws(LibcryptoFailure) {
    let firstEnd = openStart + min(limits.recordBytes, openCount)
    do {
      let bytes = bytes
      try digest.update(bytes.span.extracting((hashedCount == 0 ? openStart : firstEnd)...))
    }
    bytes.removeLast(bytes.count - firstEnd)
    hashedCount = openCount
  }

  /// Ends the open record at `offset`, which is kept, and returns the bytes behind it.
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
  /// A record that is too large says so, whatever `defect` is.
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

  /// The records so far, and their bytes with the padding behind them; the next batch starts with the open record.
  mutating func take() -> (bytes: [UInt8], records: [Record]) {
    let open = isOpen ? Array(bytes[openStart...]) : []
    bytes.removeLast(open.count)
    bytes.append(contentsOf: repeatElement(0, count: RawBatch.padding))
    defer { (bytes, records, openStart) = (open, [], 0) }
    return (bytes, records)
  }
}

extension UInt8 {
  /// Whether it is white space in JSON (RFC 8259, section 2).
  var isWhitespace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
