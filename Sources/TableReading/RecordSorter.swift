package import DurableFiles
internal import Glibc
internal import Synchronization

/// Sorts any number of records by a key of 128 bits in bounded memory. Records with the same key keep their order.
///
/// Records go to a buffer. Whenever it is full it is sorted and written to a temporary file, a run. If it is never full,
/// no file is made.
package final class RecordSorter {
  /// A record in the buffer.
  package struct Entry {
    package let key: UInt128
    package let start: UInt32
    package let count: UInt32

    /// Makes an entry.
    package init(key: UInt128, start: UInt32, count: UInt32) {
      (self.key, self.start, self.count) = (key, start, count)
    }
  }

  /// The size of the buffer where none is given.
  package static let usualBufferBytes = 64 << 20

  /// The number of records.
  package private(set) var count = 0
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  private let bufferBytes: Int
  private let folder: String
  private var file: DurableFile?
  private var runs: [Range<Int64>] = []

  /// Makes a sorter with a buffer of about this size, whose temporary file is in a folder that exists.
  package init(bufferBytes: Int = RecordSorter.usualBufferBytes, in folder: String) {
    precondition(bufferBytes <= 1 << 30, "the offsets of records fit 32 bits")
    (self.bufferBytes, self.folder) = (bufferBytes, folder)
  }

  /// Adds a record of less than 1 GiB.
  package func add(_ key: UInt128, _ payload: some Collection<UInt8>) throws(FileFailure) {
    precondition(payload.count < 1 << 30, "a record has less than 1 GiB")
    let start = bytes.count
    bytes += payload
    entries.append(Entry(key: key, start: UInt32(start), count: UInt32(bytes.count - start)))
    count += 1
    if bytes.count + entries.count * MemoryLayout<Entry>.stride >= bufferBytes { try writeRun() }
  }

  /// Returns the records as a table in memory; nil if they did not fit the buffer.
  func table() -> RecordTable? {
    guard runs.isEmpty else { return nil }
    defer { (bytes, entries) = ([], []) }
    return RecordTable(takeEntries(), of: bytes)
  }

  /// Returns the records in the order of their keys. None may be added afterwards.
  package func sorted() throws(FileFailure) -> SortedRecords {
    if let file {
      if !entries.isEmpty { try writeRun() }
      (bytes, entries) = ([], [])
      return try SortedRecords(runs, of: file)
    }
    defer { bytes = [] }
    return SortedRecords(takeEntries(), of: bytes)
  }

  private func takeEntries() -> [Entry] {
    var taken: [Entry] = []
    swap(&taken, &entries)
    return taken.inOrder
  }

  private func writeRun() throws(FileFailure) {
    if self.file == nil { self.file = try Self.makeFile(in: folder) }
    guard let file else { return }
    let start = runs.last?.upperBound ?? 0
    var length: Int64 = 0
    var block: [UInt8] = []
    for entry in takeEntries() {
      block.append(littleEndian: entry.key)
      block.append(littleEndian: entry.count)
      block += bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)]
      if block.count >= 1 << 20 {
        try file.append(block.span)
        length += Int64(block.count)
        block.removeAll(keepingCapacity: true)
      }
    }
    try file.append(block.span)
    runs.append(start..<start + length + Int64(block.count))
    bytes.removeAll(keepingCapacity: true)
  }

  private static let made = Atomic<Int>(0)

  /// Makes a file without a name, whose space is free again when it is closed, also after a crash.
  private static func makeFile(in folder: String) throws(FileFailure) -> DurableFile {
    let name = ".sort.\(getpid()).\(made.add(1, ordering: .relaxed).newValue)"
    let file = try DurableFile("\(folder)/\(name)", .creating)
    try DurableFolder(folder).remove(name)
    return file
  }
}

extension [RecordSorter.Entry] {
  /// The records by key, those of the same key in the order in which they were added.
  package var inOrder: Self {
    // Records without bytes can have the same start, but then they are the same.
    sorted { $0.key == $1.key ? $0.start < $1.start : $0.key < $1.key }
  }
}

extension [UInt8] {
  /// The bytes of an integer, the least one first.
  package init(littleEndian integer: some FixedWidthInteger) {
    self = []
    append(littleEndian: integer)
  }

  /// Appends the bytes of an integer, the least one first.
  @inlinable package mutating func append(littleEndian integer: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: integer.littleEndian) { unsafe append(contentsOf: $0) }
  }
}

extension Collection<UInt8> where Index == Int {
  /// Returns the integer whose bytes, the least one first, begin at an offset from the start.
  @inlinable package func integer<Integer: FixedWidthInteger>(at offset: Int, as: Integer.Type = Integer.self)
    -> Integer
  {
    var value: Integer = 0
    for place in (0..<Integer.bitWidth / 8).reversed() {
      value = value << 8 | Integer(truncatingIfNeeded: self[startIndex + offset + place])
    }
    return value
  }
}
