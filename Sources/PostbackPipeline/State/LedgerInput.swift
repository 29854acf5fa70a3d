/// An input, and how much of it is in the tables.
package struct LedgerInput: Equatable, Sendable {
  /// How far an input is.
  package enum Phase: String, CaseIterable, Sendable {
    /// Some of its records are in the tables.
    case partial
    /// All of its records are in the tables.
    case complete
  }

  /// Its number, which entries of `seen.log` carry.
  package var id: UInt32
  /// Where it was read.
  package var path: String
  /// The file system's number.
  package var device: UInt64
  /// The file's number in the file system.
  package var inode: UInt64
  /// Its length as stored.
  package var storedBytes: Int64
  /// How many of its records are in the tables.
  package var records: Int64
  /// The digest of those records.
  package var digest: UInt128
  /// The digest of those records without the last.
  package var prefixDigest: UInt128
  /// How far it is.
  package var phase: Phase
  /// Whether it is stored compressed.
  package var isCompressed: Bool
  /// The digest of its first record alone; 0 where nobody knows it.
  package var firstDigest: UInt128

  /// An input.
  package init(
    id: UInt32,
    path: String,
    device: UInt64 = 0,
    inode: UInt64 = 0,
    storedBytes: Int64 = 0,
    records: Int64 = 0,
    digest: UInt128 = 0,
    prefixDigest: UInt128 = 0,
    phase: Phase = .partial,
    isCompressed: Bool = false,
    firstDigest: UInt128 = 0
  ) {
    self.id = id
    self.path = path
    self.device = device
    self.inode = inode
    self.storedBytes = storedBytes
    self.records = records
    self.digest = digest
    self.prefixDigest = prefixDigest
    self.phase = phase
    self.isCompressed = isCompressed
    self.firstDigest = firstDigest
  }
}

extension LedgerInput {
  /// The columns, as `init(_:)` reads and `values` writes them.
  static let columns =
    "id, path, device, inode, stored_bytes, records, digest, prefix_digest, phase, compressed, first_digest"

  /// The input that a row tells of.
  init(_ row: SQLiteStatement) throws(StateFailure) {
    id = try row.integer(0, as: UInt32.self)
    path = row.text(1)
    device = UInt64(bitPattern: try row.integer(2))
    inode = UInt64(bitPattern: try row.integer(3))
    storedBytes = try row.count(4)
    records = try row.count(5)
    digest = try row.wide(6)
    prefixDigest = try row.wide(7)
    phase = try row.word(8, as: Phase.self)
    isCompressed = try row.integer(9) != 0
    firstDigest = try row.wide(10)
  }
}
