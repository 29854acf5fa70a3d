/// A position in `seen.log` between two entries, with the checksum of everything before it.
package struct SeenMark: Equatable, Sendable {
  /// The number of entries before the position.
  package var entries: Int64 = 0
  /// The CRC-32 of the bytes of these entries.
  package var checksum: UInt32 = 0

  /// Creates the position before the first entry.
  package init() {}

  init(entries: Int64, checksum: UInt32) {
    self.entries = entries
    self.checksum = checksum
  }
}
