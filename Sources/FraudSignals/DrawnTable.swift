/// A number that follows from texts and numbers, and is the same in every process.
struct StableHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(_ text: String?) {
    for byte in (text ?? "").utf8 { add(byte) }
    add(text == nil ? 0 : 0xFF)
  }

  mutating func add(_ number: Int) { for shift in 0..<8 { add(UInt8(truncatingIfNeeded: number >> (8 * shift))) } }

  /// The number, of which all bits depend on all that was added.
  var value: UInt64 {
    let mixed = (state ^ state >> 32) &* 0x9E37_79B9_7F4A_7C15
    return mixed ^ mixed >> 29
  }
}

/// A share of all things, drawn by their hashes: whatever order they come in, the same ones are in it.
struct Draw: Sendable {
  /// The bits that are 0 in the hashes of those in the share.
  private(set) var mask: UInt64 = 0

  /// Indicates that all are in the share.
  var takesAll: Bool { mask == 0 }

  func takes(_ hash: UInt64) -> Bool { hash & mask == 0 }

  /// Makes the share half as large.
  mutating func halve() { mask = mask << 1 | 1 }

  /// Makes the share the smaller one of both.
  mutating func formIntersection(_ other: Draw) { mask = max(mask, other.mask) }
}

/// A key that may be drawn.
protocol DrawnKey: Hashable, Compact {
  func add(to hash: inout StableHash)
}

/// A sum for a key.
protocol DrawnSum: Compact {
  init()
  static func += (left: inout Self, right: Self)
  /// The number of records in the sum.
  var records: Int { get }
}

/// Sums by key, of which no more than `limit` are kept.
///
/// If there are more, keys are drawn by their hashes, so that neither the order in which they come nor the division of the rows
/// matters.
struct DrawnTable<Key: DrawnKey, Sum: DrawnSum, let limit: Int>: Sendable {
  private(set) var entries: [Key: Sum] = [:]
  /// The number of records of keys that are left out.
  private(set) var leftOut = 0
  private var draw = Draw()

  private func takes(_ key: Key) -> Bool {
    if draw.takesAll { return true }
    var hash = StableHash()
    key.add(to: &hash)
    return draw.takes(hash.value)
  }

  mutating func add(_ key: Key, _ sum: Sum) { add(key, records: sum.records) { $0 += sum } }

  /// Calls `body` with the sum of a key, to which it adds some records.
  mutating func add(_ key: Key, records: Int = 1, _ body: (inout Sum) -> Void) {
    if let place = entries.index(forKey: key) {
      body(&entries.values[place])
    } else if takes(key) {
      var sum = Sum()
      body(&sum)
      entries[key] = sum
      while entries.count > limit {
        draw.halve()
        leaveOut()
      }
    } else {
      leftOut += records
    }
  }

  private mutating func leaveOut() {
    for (key, sum) in entries where !takes(key) {
      leftOut += sum.records
      entries[key] = nil
    }
  }

  /// Removes sums, once all records are counted.
  mutating func removeAll(where isRemoved: (Key, Sum) -> Bool) {
    entries = entries.filter { !isRemoved($0.key, $0.value) }
  }

  mutating func merge(_ other: Self) {
    leftOut += other.leftOut
    draw.formIntersection(other.draw)
    if !draw.takesAll { leaveOut() }
    for (key, sum) in other.entries { add(key, sum) }
  }
}

extension DrawnTable: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(draw.mask, leftOut)
    entries.encode(&writer)
  }

  init(_ reader: inout CompactReader) {
    (draw, leftOut, entries) = (Draw(mask: UInt64(&reader)), Int(&reader), [Key: Sum](&reader))
  }
}

/// A record that may be drawn, by the lower bits of its hash.
protocol DrawnRecord: Compact {
  var hash: UInt16 { get }
}

/// Records of which no more than `limit` are kept, drawn as in `DrawnTable`.
struct DrawnList<Record: DrawnRecord, let limit: Int>: Sendable {
  private(set) var records: [Record] = []
  /// The number of records that are left out.
  private(set) var leftOut = 0
  private var draw = Draw()

  /// Tells if records with a hash are kept.
  func follows(_ hash: UInt32) -> Bool { draw.takes(UInt64(UInt16(truncatingIfNeeded: hash))) }

  mutating func append(_ record: Record) {
    guard draw.takes(UInt64(record.hash)) else {
      leftOut += 1
      return
    }
    records.append(record)
    while records.count > limit {
      draw.halve()
      leaveOut()
    }
  }

  private mutating func leaveOut() {
    let (before, draw) = (records.count, draw)
    records.removeAll { !draw.takes(UInt64($0.hash)) }
    leftOut += before - records.count
  }

  /// Adds other records, each as `moved` returns it.
  mutating func merge(_ other: Self, _ moved: (Record) -> Record) {
    leftOut += other.leftOut
    draw.formIntersection(other.draw)
    if !draw.takesAll { leaveOut() }
    // Lists that are long are not made twice as long for a few records.
    let count = min(records.count + other.records.count, limit + 1)
    if count > records.capacity, 4 * other.records.count > records.count { records.reserveCapacity(count) }
    for record in other.records { append(moved(record)) }
  }

  mutating func sort(by precedes: (Record, Record) -> Bool) { records.sort(by: precedes) }

  /// Gives the memory of the records back, when all that follows from them is known. What was left out is still told.
  mutating func removeRecords() { records = [] }
}

extension DrawnList: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(draw.mask, leftOut)
    records.encode(&writer)
  }

  init(_ reader: inout CompactReader) {
    (draw, leftOut, records) = (Draw(mask: UInt64(&reader)), Int(&reader), [Record](&reader))
  }
}

extension Int: DrawnSum {
  var records: Int { self }
}
