package import JSON
internal import Tables

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
  package var values: [String?] {
    var values: [String?] = []
    var rest = bytes[...]
    while let mark = rest.popFirst() {
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
  /// The groups that are kept.
  package private(set) var entries: [(key: GroupKey, value: Value)] = []
  /// The places of the groups; nil for those of a result that was read, until they are searched.
  private var places: [GroupKey: Int]? = [:]
  private var keyBytes = 0
  private let limit: Int

  private static var largestKeyBytes: Int { 32 << 20 }

  package init(limit: Int = GroupTallies.largestCount) { self.limit = limit }

  package subscript(key: GroupKey) -> Value? { place(of: key).map { entries[$0].value } }

  private func place(of key: GroupKey) -> Int? {
    if let places { return places[key] }
    return entries.firstIndex { $0.key == key }
  }

  /// Changes the value of a group, which is added if it is new. Returns false if there is no room for it.
  package mutating func update(_ key: GroupKey, _ new: @autoclosure () -> Value, _ body: (inout Value) -> Void) -> Bool
  {
    if places == nil { places = Dictionary(uniqueKeysWithValues: entries.indices.map { (entries[$0].key, $0) }) }
    if let place = places?[key] {
      body(&entries[place].value)
      return true
    }
    guard entries.count < limit, keyBytes + key.bytes.count <= Self.largestKeyBytes else { return false }
    var value = new()
    body(&value)
    keyBytes += key.bytes.count
    places?[key] = entries.count
    entries.append((key, value))
    return true
  }
}

extension GroupTable {
  /// Writes the groups that are kept.
  package func encode(_ writer: inout ResultWriter, _ body: (inout ResultWriter, Value) -> Void) {
    writer.append(entries) { writer, entry in
      writer.append(entry.key.bytes[...])
      body(&writer, entry.value)
    }
  }

  /// Reads what `encode` has written.
  package init(
    _ reader: inout ResultReader,
    limit: Int = GroupTallies.largestCount,
    _ body: (inout ResultReader) -> Value
  ) {
    self.init(limit: limit)
    entries = reader.array { (GroupKey(bytes: Array($0.slice())), body(&$0)) }
    keyBytes = entries.reduce(0) { $0 + $1.key.bytes.count }
    // Most results that are read are only added to others.
    places = nil
  }
}
