/// The limits on the part of the input that is held in memory at a time.
package struct ReadLimits: Sendable {
  /// The length of the longest record that is kept whole, in bytes; of a longer one only the first bytes are kept.
  package let recordBytes: Int
  /// The number of bytes at which a batch is full.
  package let batchBytes: Int
  /// The number of records at which a batch is full.
  package let batchRecords: Int

  /// Limits for reading. Traps if a limit is not positive, or if a batch could exceed 2 GiB.
  package init(recordBytes: Int = 64 * 1024, batchBytes: Int = 1 << 18, batchRecords: Int = 4096) {
    precondition(recordBytes > 0 && batchBytes > 0 && batchRecords > 0, "limits are positive")
    precondition(recordBytes <= 1 << 30 && batchBytes <= 1 << 30, "a batch has at most 2 GiB")
    self.recordBytes = recordBytes
    self.batchBytes = batchBytes
    self.batchRecords = batchRecords
  }
}
