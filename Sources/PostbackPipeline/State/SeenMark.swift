/// How much of `seen.log` is committed.
package struct SeenMark: Equatable, Sendable {
  /// The committed entries.
  package var entries: Int64 = 0
  /// The checksum of their bytes.
  package var checksum: UInt32 = 0

  /// A log without entries.
  package init() {}

  init(entries: Int64, checksum: UInt32) {
    self.entries = entries
    self.checksum = checksum
  }
}
