/// How much of the input is held in memory at a time.
package struct ReadLimits: Sendable {
  /// The longest record that is kept whole; of a longer one only this many bytes are kept.
  package let recordBytes: Int
  /// A batch is handed on when its records have this many bytes.
  package let batchBytes: Int
  /// A batch is handed on when it has this many records.
  package let batchRecords: Int

  /// Traps where a limit is not positive, or where a batch could pass 2 GiB.
  package init(recordBytes: Int = 64 * 1024, batchBytes: Int = 1 << 18, batchRecords: Int = 4096) {
    precondition(recordBytes > 0 && batchBytes > 0 && batchRecords > 0, "limits are positive")
    precondition(recordBytes <= 1 << 30 && batchBytes <= 1 << 30, "a batch has at most 2 GiB")
    self.recordBytes = recordBytes
    self.batchBytes = batchBytes
    self.batchRecords = batchRecords
  }
}
