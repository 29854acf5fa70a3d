internal import PostbackPipeline

/// Feeds a stage of the pipeline by hand: what is put in comes out next.
final class Hopper<Good: Sendable>: AsyncSequence {
  typealias Element = Batch<Good>
  typealias Failure = PipelineFailure

  /// The batch that comes next; none: the stage gets the end, and may be asked again.
  var batch: Batch<Good>?

  func makeAsyncIterator() -> Iterator { Iterator(hopper: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let hopper: Hopper

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> Batch<Good>? {
      defer { hopper.batch = nil }
      return hopper.batch
    }
  }
}
