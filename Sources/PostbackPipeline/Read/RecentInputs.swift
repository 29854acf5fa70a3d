/// Inputs that were read and may not be committed yet, found by the same things as in the ledger.
struct RecentInputs {
  private var inputs: [UInt32: LedgerInput] = [:]
  private var byPath: [String: UInt32] = [:]
  private var byInode: [UInt64: UInt32] = [:]
  private var byDigest: [UInt128: UInt32] = [:]
  /// How many there are of a size.
  private var sizes: [Int64: Int] = [:]

  /// Keeps an input in the place of what it was before.
  mutating func insert(_ input: LedgerInput) {
    if let before = inputs[input.id] { remove(before) }
    inputs[input.id] = input
    byPath[input.path] = input.id
    byInode[input.inode] = input.id
    sizes[input.storedBytes, default: 0] += 1
    if input.phase == .complete { byDigest[input.digest] = input.id }
  }

  /// Drops an input, unless it has gone on since it was so.
  mutating func remove(_ input: LedgerInput) {
    guard inputs[input.id] == input else { return }
    inputs[input.id] = nil
    if byPath[input.path] == input.id { byPath[input.path] = nil }
    if byInode[input.inode] == input.id { byInode[input.inode] = nil }
    if byDigest[input.digest] == input.id { byDigest[input.digest] = nil }
    let count = sizes[input.storedBytes] ?? 1
    sizes[input.storedBytes] = count > 1 ? count - 1 : nil
  }

  func input(path: String) -> LedgerInput? { byPath[path].flatMap { inputs[$0] } }

  func input(device: UInt64, inode: UInt64) -> LedgerInput? {
    byInode[inode].flatMap { inputs[$0] }.flatMap { $0.device == device ? $0 : nil }
  }

  /// One that was read to its end.
  func input(digest: UInt128, records: Int64) -> LedgerInput? {
    byDigest[digest].flatMap { inputs[$0] }.flatMap { $0.records == records ? $0 : nil }
  }

  /// Those with that first record that are stored compressed, or that are not.
  func inputs(firstDigest: UInt128, isCompressed: Bool) -> [LedgerInput] {
    inputs.values.filter { $0.firstDigest == firstDigest && $0.isCompressed == isCompressed && $0.records > 0 }
  }

  func hasInput(storedBytes: Int64) -> Bool { sizes[storedBytes] != nil }
}
