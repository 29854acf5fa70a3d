internal import Ledger

/// The inputs that were read and may not be committed yet, with the same lookups as the ledger.
struct RecentInputs {
  private var inputs: [UInt32: LedgerInput] = [:]
  private var byPath: [String: UInt32] = [:]
  private var byInode: [UInt64: UInt32] = [:]
  private var byDigest: [UInt128: UInt32] = [:]
  /// The number of inputs of each size as stored, in bytes.
  private var sizes: [Int64: Int] = [:]

  /// Adds an input, or replaces the one with the same id.
  mutating func insert(_ input: LedgerInput) {
    if let before = inputs[input.id] { remove(before) }
    inputs[input.id] = input
    byPath[input.path] = input.id
    byInode[input.inode] = input.id
    sizes[input.storedBytes, default: 0] += 1
    if input.phase == .complete { byDigest[input.digest] = input.id }
  }

  /// Removes an input, unless it was replaced by a different state of it since.
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

  /// Returns a completely read input with this digest and record count; nil if there is none.
  func input(digest: UInt128, records: Int64) -> LedgerInput? {
    byDigest[digest].flatMap { inputs[$0] }.flatMap { $0.records == records ? $0 : nil }
  }

  /// Returns the inputs with this digest of the first record, compressed or uncompressed ones as `isCompressed` says.
  func inputs(firstDigest: UInt128, isCompressed: Bool) -> [LedgerInput] {
    inputs.values.filter { $0.firstDigest == firstDigest && $0.isCompressed == isCompressed && $0.records > 0 }
  }

  func hasInput(storedBytes: Int64) -> Bool { sizes[storedBytes] != nil }
}
