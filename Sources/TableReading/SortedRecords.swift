package import DurableFiles

/// Records in the order of their keys, one after the other.
package final class SortedRecords {
  /// The key of the current record.
  package private(set) var key: UInt128 = 0
  /// The bytes of the current record.
  package private(set) var payload: [UInt8] = []

  /// The records in memory, and the number of those that were handed on.
  private var entries: [RecordSorter.Entry] = []
  private var bytes: [UInt8] = []
  private var used = 0
  /// The runs with a further record, as a heap with the least record first.
  private var runs: [Run] = []

  /// Creates the sequence of records in memory, which are sorted.
  init(_ entries: [RecordSorter.Entry], of bytes: [UInt8]) { (self.entries, self.bytes) = (entries, bytes) }

  /// Creates the sequence that merges sorted runs of a file, the earliest run first.
  init(_ ranges: [Range<Int64>], of file: DurableFile) throws(FileFailure) {
    let block = min(max((32 << 20) / max(ranges.count, 1), 16 << 10), 1 << 20)
    for (number, range) in ranges.enumerated() {
      var run = Run(number: number, file: file, rest: range, block: block)
      if try run.next() { runs.append(run) }
    }
    for place in runs.indices.reversed() { sink(place) }
  }

  /// Moves to the next record; returns false if there is none.
  package func next() throws(FileFailure) -> Bool {
    if used < entries.count {
      let entry = entries[used]
      used += 1
      take(entry.key, bytes, Int(entry.start)..<Int(entry.start) + Int(entry.count))
      return true
    }
    guard !runs.isEmpty else { return false }
    take(runs[0].key, runs[0].buffer, runs[0].payload)
    if try !runs[0].next() {
      runs.swapAt(0, runs.count - 1)
      runs.removeLast()
    }
    sink(0)
    return true
  }

  private func take(_ key: UInt128, _ bytes: [UInt8], _ range: Range<Int>) {
    self.key = key
    payload.removeAll(keepingCapacity: true)
    payload += bytes[range]
  }

  /// Moves a run down to its place in the heap.
  private func sink(_ start: Int) {
    var place = start
    while 2 * place + 1 < runs.count {
      var child = 2 * place + 1
      if child + 1 < runs.count, runs[child + 1].precedes(runs[child]) { child += 1 }
      guard runs[child].precedes(runs[place]) else { return }
      runs.swapAt(place, child)
      place = child
    }
  }
}

/// A sorted run of records in a file, read block by block.
private struct Run {
  let number: Int
  let file: DurableFile
  /// The range in the file that is behind the current record.
  var rest: Range<Int64>
  let block: Int
  /// A part of the file, and the place in it that is behind the current record.
  var buffer: [UInt8] = []
  var end = 0
  var key: UInt128 = 0
  /// The bytes of the current record in `buffer`.
  var payload = 0..<0

  private static let headBytes = 20

  func precedes(_ other: Run) -> Bool { key == other.key ? number < other.number : key < other.key }

  mutating func next() throws(FileFailure) -> Bool {
    guard !rest.isEmpty else { return false }
    try fill(Self.headBytes)
    key = buffer.integer(at: end)
    let count = Int(buffer.integer(at: end + 16, as: UInt32.self))
    try fill(Self.headBytes + count)
    payload = end + Self.headBytes..<end + Self.headBytes + count
    end = payload.upperBound
    rest = rest.lowerBound + Int64(Self.headBytes + count)..<rest.upperBound
    return true
  }

  /// Reads on if less than `count` bytes are left in the buffer.
  private mutating func fill(_ count: Int) throws(FileFailure) {
    guard buffer.count - end < count else { return }
    let wanted = Int(min(Int64(max(block, count)), rest.upperBound - rest.lowerBound))
    if buffer.count != wanted { buffer = [UInt8](repeating: 0, count: wanted) }
    end = 0
    guard wanted >= count, try file.read(into: &buffer, at: rest.lowerBound) == wanted else {
      throw FileFailure(.io, file.path, "A temporary file is shorter than it was written")
    }
  }
}

/// Records in memory that are found by their keys.
package struct RecordTable: Sendable {
  private let bytes: [UInt8]
  private let entries: [RecordSorter.Entry]
  /// For each value of the upper bits of a key, the number of the records with a lower one.
  private let starts: [UInt32]
  private let shift: Int

  /// Makes a table of records, which are sorted by key.
  package init(_ entries: [RecordSorter.Entry], of bytes: [UInt8]) {
    (self.entries, self.bytes) = (entries, bytes)
    var bits = 0
    while bits < 24, 1 << bits < entries.count { bits += 1 }
    shift = 128 - bits
    var starts = [UInt32](repeating: 0, count: 1 << bits + 1)
    for entry in entries { starts[Int(entry.key >> UInt128(128 - bits)) + 1] += 1 }
    for place in 1..<starts.count { starts[place] += starts[place - 1] }
    self.starts = starts
  }

  /// Indicates that there are no records.
  package var isEmpty: Bool { entries.isEmpty }

  /// Calls `body` with the bytes of each record with a key, in the order in which they were added.
  package func forEach<Failure: Error>(
    _ key: UInt128,
    _ body: (ArraySlice<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    for entry in bucket(of: key) where entry.key == key {
      try body(bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)])
    }
  }

  /// Indicates that there is a record with a key.
  package func has(_ key: UInt128) -> Bool { bucket(of: key).contains { $0.key == key } }

  private func bucket(of key: UInt128) -> ArraySlice<RecordSorter.Entry> {
    guard !entries.isEmpty else { return [] }
    let bucket = Int(key >> UInt128(shift))
    return entries[Int(starts[bucket])..<Int(starts[bucket + 1])]
  }
}
