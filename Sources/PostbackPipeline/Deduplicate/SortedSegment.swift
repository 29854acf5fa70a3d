/// A hash table that is a sorted array with gaps: an entry stands where its key, taken as a fraction, falls in the table,
/// or as soon as possible behind the smaller ones that are in its way.
///
/// Keys must be spread evenly, as parts of a SHA-256 are. Searches end at the first greater key, so that the table may be
/// nearly full; growing is one pass in order.
struct SortedSegment: Sendable {
  /// What is kept for a key.
  struct Content: Equatable, Sendable {
    var digest: UInt32
    /// Below 2³¹.
    var unsigned: UInt32
  }

  private struct Entry {
    var high: UInt64 = 0
    var low: UInt64 = 0
    /// Digest, a bit that is 1, and the unsigned fields; 0 where there is no entry.
    var word: UInt64 = 0

    static let isTaken: UInt64 = 1 << 31

    init() {}

    init(_ high: UInt64, _ low: UInt64, _ content: Content) {
      self.high = high
      self.low = low
      word = UInt64(content.digest) << 32 | Self.isTaken | UInt64(content.unsigned) & (Self.isTaken - 1)
    }

    var content: Content {
      Content(
        digest: UInt32(truncatingIfNeeded: word >> 32),
        unsigned: UInt32(truncatingIfNeeded: word & (Self.isTaken - 1))
      )
    }

    func precedes(_ high: UInt64, _ low: UInt64) -> Bool {
      word != 0 && (self.high < high || self.high == high && self.low < low)
    }
  }

  /// The slots, and behind them some for what does not fit at the end.
  private var entries: [Entry] = []
  private var slotCount: UInt64 = 0
  private var count: UInt64 = 0

  private static let spareSlots = 32

  /// Keeps the content under a key of two words; gives what is there already, if anything is.
  mutating func insert(_ high: UInt64, _ low: UInt64, _ content: Content) -> Content? {
    if count * 10 >= slotCount * 9 { grow() }
    while true {
      var slot = home(of: high)
      while slot < entries.count, entries[slot].precedes(high, low) { slot += 1 }
      if slot < entries.count, entries[slot].word != 0, entries[slot].high == high, entries[slot].low == low {
        return entries[slot].content
      }
      if place(Entry(high, low, content), at: slot) { return nil }
      grow()
    }
  }

  /// Makes room for so many keys.
  mutating func reserve(_ keyCount: Int) {
    let needed = UInt64(keyCount) * 10 / 9 + 1
    if needed > slotCount { grow(to: needed) }
  }

  private func home(of high: UInt64) -> Int { Int(high.multipliedFullWidth(by: slotCount).high) }

  /// Puts an entry into a slot and moves those from there to the next gap on by one; false where no gap is left.
  private mutating func place(_ entry: Entry, at slot: Int) -> Bool {
    var gap = slot
    while gap < entries.count, entries[gap].word != 0 { gap += 1 }
    guard gap < entries.count else { return false }
    while gap > slot {
      entries[gap] = entries[gap - 1]
      gap -= 1
    }
    entries[slot] = entry
    count += 1
    return true
  }

  private mutating func grow() { grow(to: slotCount + max(slotCount / 7, 16)) }

  private mutating func grow(to newSlotCount: UInt64) {
    let old = entries
    slotCount = newSlotCount
    entries = []
    entries.reserveCapacity(Int(slotCount) + Self.spareSlots)
    for entry in old where entry.word != 0 {
      let home = home(of: entry.high)
      while entries.count < home { entries.append(Entry()) }
      entries.append(entry)
    }
    while entries.count < Int(slotCount) + Self.spareSlots { entries.append(Entry()) }
  }
}
