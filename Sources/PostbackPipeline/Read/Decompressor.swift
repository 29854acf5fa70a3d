/// Decodes one compressed format, piece by piece, in memory that does not grow with the data.
protocol Decompressor: AnyObject {
  /// The format's name in messages.
  var format: String { get }

  /// Makes ready for the next member of the same input.
  func beginMember()

  /// Decodes bytes from the start of `input` to the start of `output`.
  func decode(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> DecompressionStep
}

/// What one call of a decompressor has done.
struct DecompressionStep {
  enum Outcome {
    /// There may be more output, with more input where this step moved nothing.
    case unfinished
    /// The member is complete: it was checked against its checksum.
    case memberEnd
    /// The data is broken, or there is no memory to decode it: why, in words. Do not call again.
    case corrupt(String)
  }

  /// Bytes taken from the input.
  var consumed: Int
  /// Bytes put to the output; good ones also where the data is corrupt behind them.
  var produced: Int
  /// How it ended.
  var outcome: Outcome
}
