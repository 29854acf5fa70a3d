/// Reads the text of gzip data in memory, piece by piece. The data is one member or several (RFC 1952, section 2.2).
package struct GzipText: ~Copyable {
  /// The failure to decode data that is corrupt or cut.
  package struct Failure: Error, CustomStringConvertible {
    /// The failure in words.
    package let description: String
  }

  private let decompressor = GzipDecompressor()
  private var position = 0
  /// True if a member is being read. The first one counts as begun from the start, so that empty data is an error.
  private var isInMember = true

  /// A reader at the start of the data.
  package init() {}

  /// Writes the next piece of the text of `data` to the start of `piece`, and returns its size in bytes, 0 at the end.
  /// Every call must get the same `data`.
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
      case .corrupt(let reason): throw Failure(description: "The gzip data is corrupt: \(reason).")
      case .unfinished:
        guard step.consumed > 0 || step.produced > 0 else {
          throw Failure(description: "The gzip data ends too early.")
        }
      }
      if step.produced > 0 { return step.produced }
    }
  }
}
