internal import JSON
package import Signatures

/// Splits a text that comes in pieces into records: one object, an array of them, or JSON Lines, as of a file.
///
/// Memory is a batch, whatever the size of the text.
package struct RecordSplitter: ~Copyable {
  private var framer: Framer
  private var isFinished = false

  /// A splitter into records of at most so many bytes. One that is longer says so and is cut.
  package init(recordBytes: Int) throws(LibcryptoFailure) {
    framer = try Framer(limits: ReadLimits(recordBytes: recordBytes))
  }

  /// Takes the next piece of the text; returns how much of it, less than all where a batch must be taken first.
  package mutating func split(_ text: Span<UInt8>) throws(LibcryptoFailure) -> Int { try framer.frame(text) }

  /// Ends the text.
  package mutating func finish() throws(LibcryptoFailure) {
    try framer.finish()
    isFinished = true
  }

  /// The next records, in order, and their bytes; nothing before a batch is full or the text has ended.
  package mutating func take() -> (bytes: [UInt8], records: [Record]) {
    framer.isFull || isFinished ? framer.take() : ([], [])
  }
}
