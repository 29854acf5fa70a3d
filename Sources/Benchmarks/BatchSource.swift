internal import PostbackPipeline

/// A source that feeds a stage of the pipeline with batches by hand, one at a time.
final class BatchSource<Good: Sendable>: AsyncSequence {
  typealias Element = Batch<Good>
  typealias Failure = PipelineFailure

  /// The next batch; nil gives the stage an end of its input, after which it may be asked again.
  var batch: Batch<Good>?

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: BatchSource

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> Batch<Good>? {
      defer { source.batch = nil }
      return source.batch
    }
  }
}
