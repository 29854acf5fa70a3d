/// A hash table in the form of a sorted array with gaps. The key, read as a fraction of the key space, gives an entry's
/// home slot; the entry stands there, or in the next possible slot after smaller keys.
///
/// Keys must be spread evenly, as parts of a SHA-256 are. Searches end at the first greater key, so that the table may be
/// nearly full; growing is one pass in order.
package struct SortedSegment: Sendable {
  /// The content of an entry: 32 bits of the digest of the signed content, the unsigned fields in 31 bits, and the digest
  /// by which resends are recognised.
  package struct Content: Equatable, Sendable {
    /// The lowest 32 bits of the first word of the digest.
    package let digest: UInt32
    /// The packed unsigned fields, below 2³¹.
    package let unsigned: UInt32
    /// The digest of the `ResendKey`; 0 where there is none.
    private let storedResend: UInt64
    /// The digest of the `ResendKey`; nil in entries of earlier versions.
    var resend: UInt64? { storedResend == 0 ? nil : storedResend }

    /// Makes the content of an entry.
    package init(digest: UInt32, unsigned: UInt32, resend: UInt64? = nil) {
      self.digest = digest
      self.unsigned = unsigned
      storedResend = resend ?? 0
    }
  }

  private struct Entry {
    var high: UInt64 = 0
    var low: UInt64 = 0
    /// Digest, a bit that is 1, and the unsigned fields; 0 where there is no entry.
    var word: UInt64 = 0
    /// The digest by which resends are recognised; 0 where there is none.
    var resend: UInt64 = 0

    static let isTaken: UInt64 = 1 << 31

    init() {}

    init(_ high: UInt64, _ low: UInt64, _ content: Content) {
      self.high = high
      self.low = low
      word = UInt64(content.digest) << 32 | Self.isTaken | UInt64(content.unsigned) & (Self.isTaken - 1)
      resend = content.resend ?? 0
    }

    var content: Content {
      Content(
        digest: UInt32(truncatingIfNeeded: word >> 32),
        unsigned: UInt32(truncatingIfNeeded: word & (Self.isTaken - 1)),
        resend: resend == 0 ? nil : resend
      )
    }

    func precedes(_ high: UInt64, _ low: UInt64) -> Bool {
      word != 0 && (self.high < high || self.high == high && self.low < low)
    }
  }

  /// The slots, followed by spare slots for entries that do not fit at the end.
  private var entries: [Entry] = []
  private var slotCount: UInt64 = 0
  private var count: UInt64 = 0

  private static let spareSlots = 32

  /// Inserts the content under a key of two words. Returns the content that is already stored under the key; nil if the
  /// key is new.
  mutating func insert(_ high: UInt64, _ low: UInt64, _ content: Content) -> Content? {
    if count * 100 >= slotCount * 88 { grow() }
    let entry = Entry(high, low, content)
    while true {
      switch place(entry) {
      case .placed: return nil
      case .found(let content): return content
      case .full: grow()
      }
    }
  }

  /// Returns the content under a key of two words; nil if there is none.
  func content(_ high: UInt64, _ low: UInt64) -> Content? {
    guard slotCount > 0 else { return nil }
    return unsafe entries.withUnsafeBufferPointer { entries in
      var slot = home(of: high)
      while unsafe slot < entries.count && entries[slot].precedes(high, low) { slot += 1 }
      guard slot < entries.count else { return nil }
      let there = unsafe entries[slot]
      return there.word != 0 && there.high == high && there.low == low ? there.content : nil
    }
  }

  /// Reserves slots for `keyCount` keys.
  mutating func reserve(_ keyCount: Int) {
    let needed = UInt64(keyCount) * 100 / 88 + 1
    if needed > slotCount { grow(to: needed) }
  }

  private func home(of high: UInt64) -> Int { Int(high.multipliedFullWidth(by: slotCount).high) }

  private enum Placement {
    case placed
    case found(Content)
    /// No gap is left behind the entries that are in the way.
    case full
  }

  /// Inserts an entry in key order, and moves the entries between its slot and the next gap by one slot.
  private mutating func place(_ entry: Entry) -> Placement {
    let home = home(of: entry.high)
    let placement = unsafe entries.withUnsafeMutableBufferPointer { entries in
      var slot = home
      while unsafe slot < entries.count && entries[slot].precedes(entry.high, entry.low) { slot += 1 }
      if slot < entries.count {
        let there = unsafe entries[slot]
        if there.word != 0, there.high == entry.high, there.low == entry.low { return Placement.found(there.content) }
      }
      var gap = slot
      while unsafe gap < entries.count && entries[gap].word != 0 { gap += 1 }
      guard gap < entries.count, let start = entries.baseAddress else { return .full }
      unsafe (start + slot + 1).update(from: start + slot, count: gap - slot)
      unsafe start[slot] = entry
      return .placed
    }
    if case .placed = placement { count += 1 }
    return placement
  }

  /// Returns the word in the home slot of a key; 0 if the table is empty. Reading it brings the memory into the
  /// processor's cache.
  func prefetch(at high: UInt64) -> UInt64 { slotCount > 0 ? entries[home(of: high)].word : 0 }

  private mutating func grow() { grow(to: slotCount + max(slotCount / 7, 16)) }

  private mutating func grow(to newSlotCount: UInt64) {
    let old = entries
    slotCount = newSlotCount
    var isComplete = false
    while !isComplete {
      let size = Int(slotCount) + Self.spareSlots
      entries = unsafe Array(unsafeUninitializedCapacity: size) { slots, end in
        for entry in old where entry.word != 0 {
          let home = home(of: entry.high)
          while end < home {
            unsafe slots[end] = Entry()
            end += 1
          }
          guard end < size else { return }
          unsafe slots[end] = entry
          end += 1
        }
        while end < size {
          unsafe slots[end] = Entry()
          end += 1
        }
        isComplete = true
      }
      // As good as impossible: more piled up at the end than there are spare slots.
      if !isComplete { slotCount += slotCount / 7 }
    }
  }
}
