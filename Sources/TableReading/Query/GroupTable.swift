internal import Glibc
package import JSON

/// The values that the rows of a group have in common.
package struct GroupKey: Hashable, Sendable {
  /// The encoded values, one after the other. Null is the byte 0; a text is the byte 1, its length in four bytes
  /// (little-endian) and its bytes.
  package private(set) var bytes: [UInt8] = []

  /// A key without values.
  package init() {}

  /// The key with encoded values.
  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Feeds all bytes to a hasher at once, which is much faster than one after the other.
  package func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func append(_ text: ByteRange?, of source: [UInt8]) {
    guard let text else { return bytes.append(0) }
    bytes.append(1)
    for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    bytes.append(text, of: source)
  }

  /// The decoded values, in the order of the columns; nil for null.
  package var values: [String?] { values(first: .max) }

  /// Returns the first `count` of the values.
  package func values(first count: Int) -> [String?] {
    var values: [String?] = []
    var rest = bytes[...]
    while values.count < count, let mark = rest.popFirst() {
      guard mark == 1 else {
        values.append(nil)
        continue
      }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      values.append(String(decoding: rest.dropFirst(4).prefix(count), as: UTF8.self))
      rest = rest.dropFirst(4 + count)
    }
    return values
  }

  /// The key with only the values at these indexes.
  package func only(_ places: [Int]) -> GroupKey {
    let values = values
    var key = GroupKey()
    for place in places {
      let text = values[place].map { Array($0.utf8) }
      key.append(text.map { ByteRange(start: 0, count: $0.count) }, of: text ?? [])
    }
    return key
  }
}

/// Values by group, in the order in which the groups came first. Those that come when there are too many are not kept.
package struct GroupTable<Value: Sendable>: Sendable {
  private var keys = GroupKeys()
  private var values: [Value] = []
  private let limit: Int

  private static var largestKeyBytes: Int { 32 << 20 }

  package init(limit: Int = GroupTallies.largestCount) { self.limit = limit }

  /// The groups that are kept.
  package var entries: GroupEntries<Value> { GroupEntries(keys, values) }

  package subscript(key: GroupKey) -> Value? { keys.place(of: key.bytes.span).map { values[$0] } }

  /// Changes the value of a group, which is added if it is new. Returns false if there is no room for it.
  package mutating func update(_ key: GroupKey, _ new: @autoclosure () -> Value, _ body: (inout Value) -> Void) -> Bool
  {
    update(key.bytes.span, new(), body)
  }

  private mutating func update(
    _ key: borrowing Span<UInt8>,
    _ new: @autoclosure () -> Value,
    _ body: (inout Value) -> Void
  ) -> Bool {
    guard let place = keys.add(key, mostKeys: limit, mostBytes: Self.largestKeyBytes) else { return false }
    if place == values.count { values.append(new()) }
    body(&values[place])
    return true
  }

  /// Adds the values of groups that come later. `left` is given those for which there is no room.
  package mutating func merge(
    _ later: GroupTable,
    _ new: @autoclosure () -> Value,
    _ add: (inout Value, Value) -> Void,
    left: (Value) -> Void
  ) {
    for place in later.values.indices {
      let value = later.values[place]
      if !update(later.keys.bytes.span.extracting(later.keys.range(of: place)), new(), { add(&$0, value) }) {
        left(value)
      }
    }
  }

  /// Removes the groups that do not meet a condition.
  package mutating func keep(where isKept: (GroupKey) -> Bool) {
    var kept = GroupTable(limit: limit)
    for (key, value) in entries where isKept(key) { _ = kept.update(key, value) { _ in } }
    self = kept
  }
}

extension GroupTable {
  /// Writes the groups that are kept.
  package func encode(_ writer: inout ResultWriter, _ body: (inout ResultWriter, Value) -> Void) {
    writer.append(values.count)
    for place in values.indices {
      writer.append(keys.bytes[keys.range(of: place)])
      body(&writer, values[place])
    }
  }

  /// Reads what `encode` has written.
  package init(
    _ reader: inout ResultReader,
    limit: Int = GroupTallies.largestCount,
    _ body: (inout ResultReader) -> Value
  ) {
    self.init(limit: limit)
    let count = reader.count()
    values.reserveCapacity(count)
    for _ in 0..<count {
      keys.append(reader.slice().span)
      values.append(body(&reader))
    }
  }
}

/// Groups with their values, in their order.
package struct GroupEntries<Value: Sendable>: RandomAccessCollection, Sendable {
  private let keys: GroupKeys
  private let values: [Value]

  fileprivate init(_ keys: GroupKeys, _ values: [Value]) { (self.keys, self.values) = (keys, values) }

  package var startIndex: Int { 0 }

  package var endIndex: Int { values.count }

  package subscript(place: Int) -> (key: GroupKey, value: Value) {
    (GroupKey(bytes: Array(keys.bytes[keys.range(of: place)])), values[place])
  }
}

/// Distinct keys, one after the other in one buffer, and a hash table of their places.
private struct GroupKeys: Sendable {
  private(set) var bytes: [UInt8] = []
  private var ends: [UInt32] = []
  /// Places plus 1 in an open hash table, whose length is a power of two; 0 where it has none. It is made by the first search for a
  /// key to add, because most results that are read are only added to others.
  private var slots: [UInt32] = []

  /// The range in `bytes` of the key at a place.
  func range(of place: Int) -> Range<Int> { (place == 0 ? 0 : Int(ends[place - 1]))..<Int(ends[place]) }

  /// The place of a key; nil if it is not there.
  func place(of key: borrowing Span<UInt8>) -> Int? {
    guard !slots.isEmpty else { return ends.indices.first { Self.areEqual(bytes.span.extracting(range(of: $0)), key) } }
    let slot = slots[slot(of: key)]
    return slot == 0 ? nil : Int(slot) - 1
  }

  /// Returns the place of a key, which is added if it is new. Nil if there is no room for it.
  mutating func add(_ key: borrowing Span<UInt8>, mostKeys: Int, mostBytes: Int) -> Int? {
    if 2 * (ends.count + 1) > slots.count { makeSlots() }
    let slot = slot(of: key)
    guard slots[slot] == 0 else { return Int(slots[slot]) - 1 }
    guard ends.count < mostKeys, bytes.count + key.count <= mostBytes else { return nil }
    append(key)
    slots[slot] = UInt32(ends.count)
    return ends.count - 1
  }

  /// Appends a key that is not there.
  mutating func append(_ key: borrowing Span<UInt8>) {
    unsafe key.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    ends.append(UInt32(bytes.count))
  }

  private mutating func makeSlots() {
    var length = 16
    while length < 4 * (ends.count + 1) { length *= 2 }
    slots = [UInt32](repeating: 0, count: length)
    for place in ends.indices { slots[slot(of: bytes.span.extracting(range(of: place)))] = UInt32(place + 1) }
  }

  /// The slot that has the place of a key, or the one to put it into.
  private func slot(of key: borrowing Span<UInt8>) -> Int {
    // Senders choose the keys, so the seed of the hash is random.
    var hasher = Hasher()
    unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    var slot = hasher.finalize() & (slots.count - 1)
    while slots[slot] != 0 {
      if Self.areEqual(bytes.span.extracting(range(of: Int(slots[slot]) - 1)), key) { break }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private static func areEqual(_ one: borrowing Span<UInt8>, _ other: borrowing Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    return unsafe one.withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        guard let first = one.baseAddress, let second = other.baseAddress else { return true }
        return unsafe memcmp(first, second, one.count) == 0
      }
    }
  }
}
