internal import InputForms
package import JSON
package import Signatures

/// One framed record: the bytes that should be one postback, or one envelope with a postback.
package struct Record: Hashable, Sendable {
  /// The range of the record in `RawBatch.bytes`.
  package var bytes: ByteRange
  /// The line of the decompressed text in which the record begins, from 1.
  package var line: Int
  /// The defect that framing found; nil if there is none.
  package var defect: FramingDefect?
  /// True if `bytes` are the postback alone, without the envelope that was around it.
  package var isUnwrapped = false
}

/// A defect of a record that framing finds, before the record is parsed.
///
/// The enumeration is boxed (`indirect`) to keep records small: nearly all have no defect.
package indirect enum FramingDefect: Hashable, Sendable {
  /// The record is longer than `ReadLimits.recordBytes`, and only its first bytes are kept.
  ///
  /// `byteCount` and `digest` are those of the whole record, with any white space at its end.
  case tooLarge(byteCount: Int, digest: SHA256Digest)
  /// The input ends inside the record or inside an array, or its compressed data cannot be used from here on; the
  /// reason in words.
  ///
  /// The record holds the incomplete rest, which is often empty.
  case truncatedInput(String)
  /// The record is the UTF-8 byte order mark at the start of an input.
  case byteOrderMark
}

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

  /// Returns a number for the settings with which records are found in an input: a file that was read with others is read
  /// again.
  func reading(in form: InputForm) -> Int64 { form.number == 0 ? Int64(recordBytes) : form.number ^ Int64(recordBytes) }
}
