/// The places of costs by key: a hash table of numbers alone, whose keys are in the rows.
struct CostIndex: Sendable {
  private static let free = UInt32.max

  /// The places of rows, of which at least half are free. Their number is a power of two.
  private var slots = [UInt32](repeating: free, count: 1024)

  /// Returns the place of the row with a key; nil if there is none. The index then has the place after the last row.
  mutating func place(of key: CostRow.Key, in rows: [CostRow]) -> Int? {
    if (rows.count + 1) * 2 > slots.count { grow(rows) }
    let slot = slot(of: key, in: rows)
    guard slots[slot] == Self.free else { return Int(slots[slot]) }
    slots[slot] = UInt32(rows.count)
    return nil
  }

  /// The slot of a key, or the free one in which it belongs.
  private func slot(of key: CostRow.Key, in rows: [CostRow]) -> Int {
    var slot = key.hashValue & (slots.count - 1)
    while slots[slot] != Self.free, rows[Int(slots[slot])].key != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private mutating func grow(_ rows: [CostRow]) {
    slots = [UInt32](repeating: Self.free, count: slots.count * 2)
    for place in rows.indices { slots[slot(of: rows[place].key, in: rows)] = UInt32(place) }
  }
}
