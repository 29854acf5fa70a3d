internal import JSON
internal import Signatures

/// Collects the bytes of one record after the other into a batch.
///
/// Keeps at most `limits.recordBytes` of a record; of a longer one it counts and hashes the rest.
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
  /// The last byte of the open record that is not white space.
  private(set) var lastByte: UInt8 = 0
  /// Where the open record starts in `bytes`.
  private var openStart = 0
  /// The open record's length.
  private var openCount = 0
  /// The open record's length without the white space at its end.
  private var solidCount = 0

  init(limits: ReadLimits, content: ContentDigest, capacity: Int?) throws(LibcryptoFailure) {
    self.limits = limits
    self.capacity = capacity ?? limits.batchBytes + min(limits.recordBytes, limits.batchBytes) + RawBatch.padding
    digest = try SHA256()
    self.content = content
  }

  /// Whether there is nothing to take.
  var isEmpty: Bool { records.isEmpty }

  /// Whether the batch should be taken before the next record begins.
  var isFull: Bool { !isOpen && (bytes.count >= limits.batchBytes || records.count >= limits.batchRecords) }

  /// Whether the open record is longer than it may be.
  var isTooLarge: Bool { solidCount > limits.recordBytes }

  /// Begins a record.
  mutating func begin(line: Int) {
    if bytes.isEmpty { bytes.reserveCapacity(capacity) }
    isOpen = true
    openLine = line
    openStart = bytes.count
    openCount = 0
    solidCount = 0
  }

  /// Adds bytes to the open record.
  mutating func extend(_ fragment: Span<UInt8>) throws(LibcryptoFailure) {
    var solid = fragment.count
    while solid > 0, fragment[solid - 1].isWhitespace { solid -= 1 }
    if solid > 0 {
      solidCount = openCount + solid
      lastByte = fragment[solid - 1]
    }
    let kept = min(fragment.count, max(0, limits.recordBytes - openCount))
    bytes.append(copying: fragment.extracting(first: kept))
    if kept < fragment.count {
      if openCount <= limits.recordBytes {
        let bytes = bytes
        try digest.update(bytes.span.extracting(openStart...))
      }
      try digest.update(fragment.extracting(droppingFirst: kept))
    }
    openCount += fragment.count
  }

  /// Ends the open record, without the white space at its end.
  ///
  /// A record that is too large says so, whatever `defect` is.
  mutating func end(defect: FramingDefect? = nil) throws(LibcryptoFailure) {
    isOpen = false
    var defect = defect
    if openCount > limits.recordBytes {
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

  /// The records so far, and their bytes with the padding behind them; the next batch starts empty.
  mutating func take() -> (bytes: [UInt8], records: [Record]) {
    bytes.append(contentsOf: repeatElement(0, count: RawBatch.padding))
    defer { (bytes, records) = ([], []) }
    return (bytes, records)
  }
}

extension UInt8 {
  /// Whether it is white space in JSON (RFC 8259, section 2).
  var isWhitespace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
