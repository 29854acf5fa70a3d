/// A decompressor of one format. It works piece by piece, in memory that does not grow with the length of the data.
protocol Decompressor: AnyObject {
  /// The format's name in messages.
  var format: String { get }

  /// Prepares for the next member (gzip) or frame (zstd) of the same input.
  func beginMember()

  /// Decodes bytes from the start of `input` and writes the text to the start of `output`.
  func decode(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> DecompressionStep
}

/// The result of one call of a decompressor.
struct DecompressionStep {
  enum Outcome {
    /// There may be more output. If this step consumed and produced nothing, more input is needed first.
    case unfinished
    /// The member is complete, and its checksum, if it has one, is right.
    case memberEnd
    /// The data is corrupt, or there is no memory to decode it; the reason in words. Do not call `decode` again.
    case corrupt(String)
  }

  /// The number of bytes that were taken from the input.
  var consumed: Int
  /// The number of bytes that were written to the output. They are valid also if the data behind them is corrupt.
  var produced: Int
  /// The state of the member after the call.
  var outcome: Outcome
}
