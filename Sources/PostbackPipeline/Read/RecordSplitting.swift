internal import JSON
package import Signatures

/// Splits a text that comes in pieces into records, by the rules for files: objects, arrays of them, or JSON Lines.
///
/// Holds one batch in memory, independent of the size of the text.
package struct RecordSplitter: ~Copyable {
  private var framer: Framer
  private var isFinished = false

  /// A splitter into records of at most `recordBytes` bytes. A longer record is cut and has the defect `tooLarge`.
  package init(recordBytes: Int) throws(LibcryptoFailure) {
    framer = try Framer(limits: ReadLimits(recordBytes: recordBytes))
  }

  /// Splits the next piece of the text. Returns the number of bytes that were used, less than all if a batch must be
  /// taken first.
  package mutating func split(_ text: Span<UInt8>) throws(LibcryptoFailure) -> Int { try framer.frame(text) }

  /// Ends the text and its last record.
  package mutating func finish() throws(LibcryptoFailure) {
    try framer.finish()
    isFinished = true
  }

  /// Takes the next records, in order, and their bytes; returns nothing before a batch is full or the text has ended.
  package mutating func take() -> (bytes: [UInt8], records: [Record]) {
    framer.isFull || isFinished ? framer.take() : ([], [])
  }
}
