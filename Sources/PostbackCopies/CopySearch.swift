internal import DerivedTables
internal import DurableFiles
internal import PostbackPipeline
internal import PostbackVerification
internal import TableReading
internal import Tables

/// Finds the parts of `skan_postbacks` that have the postbacks of copies.
final class CopySearch {
  /// The results: for each copy the place of a part, and then the key, the place of the rejects in four bytes, and the record.
  let found: RecordSorter
  /// The counts of the rejects that were read, by their places.
  private(set) var counts: [Int: CopyMatching.Rejects] = [:]
  /// The lines of these that are not rows, where there are some.
  private(set) var unreadable: [Int: UnreadableRows] = [:]

  private let copies: PartCopies
  private let columns = RejectColumns()

  /// Begins a search that has found nothing.
  init(_ copies: PartCopies) {
    self.copies = copies
    found = RecordSorter(bufferBytes: copies.bufferBytes, in: copies.cache.path)
  }

  /// Looks for the copies in some rejects that were not read before among all parts.
  func findNew(_ rejects: [Int]) async throws(PipelineFailure) {
    guard !rejects.isEmpty else { return }
    for part in copies.parts.indices { _ = try await copies.keys(of: part) }
    var buffer = RecordBuffer(bytes: copies.bufferBytes)
    for index in rejects {
      try await scan(index) { key, record throws(PipelineFailure) in
        if buffer.isFull { try distribute(&buffer) }
        buffer.add(key, [UInt8](littleEndian: UInt32(index)) + record)
      }
    }
    try distribute(&buffer)
  }

  /// Looks for the copies of the postbacks of some parts among rejects that were read before.
  func find(_ parts: [Int], among rejects: [Int]) async throws(PipelineFailure) {
    guard !parts.isEmpty, !rejects.isEmpty else { return }
    var wanted = RecordBuffer(bytes: copies.bufferBytes)
    for part in parts {
      for key in try await copies.keys(of: part) { wanted.add(key, [UInt8](littleEndian: UInt32(part))) }
      if wanted.isFull || part == parts.last { try await find(wanted.take(), among: rejects) }
    }
  }

  /// Looks for the copies of postbacks, whose keys have the places of their parts, among rejects.
  private func find(_ wanted: RecordTable, among rejects: [Int]) async throws(PipelineFailure) {
    for index in rejects where try await copied(index).contains(where: { wanted.has($0) }) {
      try await scan(index) { key, record throws(PipelineFailure) in
        let copy = [UInt8](littleEndian: UInt32(index)) + record
        try wanted.forEach(key) { part throws(PipelineFailure) in
          try add(key, copy[...], to: Int(part.integer(at: 0, as: UInt32.self)))
        }
      }
    }
  }

  /// Hands the copies of a buffer on to the parts that have their postbacks.
  private func distribute(_ buffer: inout RecordBuffer) throws(PipelineFailure) {
    let table = buffer.take()
    guard !table.isEmpty else { return }
    for part in copies.parts.indices {
      let name = copies.keyNames[part]
      guard let keys = try copies.cache.read(name, UInt128.self) else { throw copies.cache.damage(of: name) }
      for key in keys {
        try table.forEach(key) { copy throws(PipelineFailure) in try add(key, copy, to: part) }
      }
    }
  }

  private func add(_ key: UInt128, _ copy: ArraySlice<UInt8>, to part: Int) throws(PipelineFailure) {
    try PipelineFailure.state { () throws(FileFailure) in
      try found.add(UInt128(part), [UInt8](littleEndian: key) + copy)
    }
  }

  // MARK: - Reading

  /// Reads the copies in a part of the rejects, keeps their keys, and returns these.
  @discardableResult private func scan(
    _ index: Int,
    _ body: (UInt128, [UInt8]) throws(PipelineFailure) -> Void
  ) async throws(PipelineFailure) -> [UInt128] {
    var keys: [UInt128] = []
    var rejected = CopyMatching.Rejects()
    var lines = UnreadableRows()
    let columns = columns
    try await copies.rejects[index].files.scan(jobs: copies.jobs) {
      RejectedCopies($0, columns)
    } take: { batch throws(PipelineFailure) in
      for (key, record) in batch.records {
        keys.append(UInt128(key))
        try body(UInt128(key), record)
      }
      rejected.copies += batch.records.count
      rejected.unreadableBodies += batch.unreadableBodies
      lines += batch.unreadable
    }
    counts[index] = rejected
    unreadable[index] = lines.count > 0 ? lines : nil
    keys = keys.sortedOnce
    try copies.cache.add(copies.copiedNames[index], keys)
    return keys
  }

  /// The keys of the copies in a part of the rejects.
  private func copied(_ index: Int) async throws(PipelineFailure) -> [UInt128] {
    if let keys = try copies.cache.read(copies.copiedNames[index], UInt128.self) { return keys }
    return try await scan(index) { _, _ in }
  }
}

/// Records that are collected until they have about a number of bytes.
private struct RecordBuffer {
  private let limit: Int
  private var bytes: [UInt8] = []
  private var entries: [RecordSorter.Entry] = []

  init(bytes limit: Int) { self.limit = limit }

  /// Indicates that the buffer should be taken before more is added.
  var isFull: Bool { bytes.count + entries.count * MemoryLayout<RecordSorter.Entry>.stride >= limit }

  mutating func add(_ key: UInt128, _ record: [UInt8]) {
    entries.append(RecordSorter.Entry(key: key, start: UInt32(bytes.count), count: UInt32(record.count)))
    bytes += record
  }

  /// Returns the records by key, and leaves the buffer empty.
  mutating func take() -> RecordTable {
    defer { (bytes, entries) = ([], []) }
    return RecordTable(entries.inOrder, of: bytes)
  }
}
