/// The text of gzip that is in memory, piece by piece: one member, or several (RFC 1952, section 2.2).
package struct GzipText: ~Copyable {
  /// What is wrong with the data.
  package struct Failure: Error, CustomStringConvertible {
    /// What happened, in words.
    package let description: String
  }

  private let decompressor = GzipDecompressor()
  private var position = 0
  /// Whether a member is open; the first one always is.
  private var isInMember = true

  /// Text of which nothing was read.
  package init() {}

  /// Puts the next piece of the text of `data` to the start of `piece`; returns its size, 0 at the end.
  package mutating func read(_ data: Span<UInt8>, into piece: inout [UInt8]) throws(Failure) -> Int {
    while true {
      if !isInMember {
        guard position < data.count else { return 0 }
        decompressor.beginMember()
        isInMember = true
      }
      var output = piece.mutableSpan
      let step = decompressor.decode(data.extracting(droppingFirst: position), into: &output)
      position += step.consumed
      switch step.outcome {
      case .memberEnd: isInMember = false
      case .corrupt(let reason): throw Failure(description: "the gzip data is corrupt: \(reason)")
      case .unfinished:
        guard step.consumed > 0 || step.produced > 0 else {
          throw Failure(description: "the gzip data ends too early")
        }
      }
      if step.produced > 0 { return step.produced }
    }
  }
}
