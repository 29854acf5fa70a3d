internal import Ledger
internal import Signatures
package import TableReading

/// Copies of postbacks, which are sorted by their source, by key and by content.
package struct CopyList: Sendable {
  private struct Entry {
    let source: UInt32
    let key: UInt128
    var range: Range<Int>
  }

  private var entries: [Entry] = []
  private var bytes: [UInt8] = []
  private var limit = 32 << 20

  /// A list of no copies.
  package init() {}

  /// The number of copies.
  package var count: Int { entries.count }

  /// The number of bytes of the copies.
  package var byteCount: Int { bytes.count }

  /// Removes the copies of some postbacks.
  package mutating func removeAll(where isRemoved: (UInt128) -> Bool) {
    entries.removeAll { isRemoved($0.key) }
    merge()
  }

  /// Adds a copy of a source.
  package mutating func add(_ source: UInt32, _ key: UInt128, _ record: ArraySlice<UInt8>) {
    let start = bytes.count
    bytes += record
    entries.append(Entry(source: source, key: key, range: start..<bytes.count))
    if bytes.count > limit {
      merge()
      // Copies that are repeated very often take no more memory than those that are not.
      limit = max(limit, 2 * bytes.count)
    }
  }

  /// Sorts the copies, and merges those of the same source, key and content.
  package mutating func merge() {
    var old: [Entry] = []
    swap(&old, &entries)
    let before = bytes
    old.sort { one, other in
      if one.source != other.source { return one.source < other.source }
      if one.key != other.key { return one.key < other.key }
      return before[one.range].dropFirst(PostbackCopy.contentStart)
        .lexicographicallyPrecedes(before[other.range].dropFirst(PostbackCopy.contentStart))
    }
    bytes.removeAll(keepingCapacity: true)
    var last: [UInt8] = []
    for entry in old {
      let record = before[entry.range]
      if let previous = entries.last, previous.source == entry.source, previous.key == entry.key,
        last.dropFirst(PostbackCopy.contentStart) == record.dropFirst(PostbackCopy.contentStart)
      {
        PostbackCopy.merge(&last, record)
        bytes.replaceSubrange(previous.range, with: last)
      } else {
        last = Array(record)
        entries.append(Entry(source: entry.source, key: entry.key, range: bytes.count..<bytes.count + last.count))
        bytes += last
      }
    }
  }

  /// Calls `body` with each copy.
  package func forEach<Failure: Error>(_ body: (UInt32, UInt128, ArraySlice<UInt8>) throws(Failure) -> Void)
    throws(Failure)
  {
    for entry in entries { try body(entry.source, entry.key, bytes[entry.range]) }
  }

  /// The copies by key, whatever their sources.
  package func table() -> RecordTable {
    let records = entries.map { entry in
      RecordSorter.Entry(key: entry.key, start: UInt32(entry.range.lowerBound), count: UInt32(entry.range.count))
    }
    return RecordTable(records.inOrder, of: bytes)
  }

  /// The copies whatever their sources, with those of the same content merged.
  func withoutSources() -> CopyList {
    var list = self
    list.entries = entries.map { Entry(source: 0, key: $0.key, range: $0.range) }
    list.merge()
    return list
  }

  /// Returns the SHA-256 of the keys and the copies in 32 hexadecimal digits.
  func digest() throws(LibcryptoFailure) -> String {
    var hash = try SHA256()
    try forEach { _, key, record throws(LibcryptoFailure) in
      var head: [UInt8] = []
      head.append(littleEndian: key)
      head.append(littleEndian: record.count)
      try hash.update(head.span)
      try hash.update(record.span)
    }
    return String(try hash.finish().hexadecimal.prefix(32))
  }
}

extension CopyList {
  /// The copies as bytes; each source is one of `sources`.
  func encoded(_ sources: [String]) -> [UInt8] {
    var writer = ResultWriter()
    writer.append(sources) { $0.append($1) }
    writer.append(count)
    forEach { source, key, record in
      writer.append(source)
      writer.append(key)
      writer.append(record)
    }
    return writer.bytes
  }

  /// Reads copies from bytes. The numbers of their sources are those that `number` returns; copies of others are left out.
  init(_ bytes: [UInt8], number: (String) -> UInt32?) {
    var reader = ResultReader(bytes)
    let sources = reader.array { number($0.text()) }
    for _ in 0..<reader.count() {
      let source = sources[Int(reader.integer(UInt32.self))]
      let key: UInt128 = reader.integer()
      let record = reader.slice()
      if let source { add(source, key, record) }
    }
  }
}
