internal import DurableFiles

/// An input, and the records of it that are in the tables.
package struct LedgerInput: Equatable, Sendable {
  /// The progress of an input.
  package enum Phase: String, CaseIterable, Sendable {
    /// Some of its records are in the tables.
    case partial
    /// All of its records are in the tables.
    case complete
  }

  /// The number of the input. Entries of `seen.log` refer to it.
  package var id: UInt32
  /// The path at which it was read.
  package var path: String
  /// The device number of the file system; 0 if the input has no file identity.
  package var device: UInt64 = 0
  /// The inode number in the file system; 0 if the input has no file identity.
  package var inode: UInt64 = 0
  /// The size as stored, in bytes: of a compressed file its compressed size.
  package var storedBytes: Int64 = 0
  /// The number of its records that are in the tables.
  package var records: Int64 = 0
  /// The digest of those records.
  package var digest: UInt128 = 0
  /// The digest of those records without the last.
  package var prefixDigest: UInt128 = 0
  /// The progress of the input.
  package var phase = Phase.partial
  /// True if the input is stored compressed.
  package var isCompressed = false
  /// The digest of its first record alone; 0 if it is unknown.
  package var firstDigest: UInt128 = 0
  /// The time of the last change of the file or its status, in nanoseconds since 1970; 0 if it is unknown, or was so
  /// short before the reading that a change since may have the same time.
  package var changed: Int64 = 0
  /// The number that stands for the settings with which its records were found; 0 if it is unknown.
  package var reading: Int64 = 0
}

extension LedgerInput {
  /// Creates an input without records in the tables.
  package init(id: UInt32, path: String) { self.init(id: id, path: path, records: 0) }

  /// The columns in the order in which `init(_:)` reads them and `LedgerStatements` writes them.
  static let columns = """
    id, path, device, inode, stored_bytes, records, digest, prefix_digest, phase, compressed, first_digest, changed_at,
    reading
    """

  /// Reads an input from a row.
  init(_ row: SQLiteStatement) throws(FileFailure) {
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
    changed = try row.integer(11)
    reading = try row.integer(12)
  }
}
