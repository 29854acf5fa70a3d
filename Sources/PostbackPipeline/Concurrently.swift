internal import Signatures

extension AsyncSequence where Element: BatchOfInputs, Failure == PipelineFailure {
  /// Applies `work` to each element in a task of its own and hands on the results in the order of the elements.
  ///
  /// At most 2 × `jobs` tasks are begun and not yet handed on: `jobs` to work on, and as many again that are waiting or
  /// done, so that no core idles while the consumer is busy. After a pause no task begins before all results up to and
  /// including the pause are handed on. With `jobs` 1 only one element at a time is worked on. A failure of `work` is
  /// thrown where its result would be handed on.
  func concurrently<Output: Sendable>(
    _ jobs: Int,
    _ work: @escaping @Sendable (Element) throws(LibcryptoFailure) -> Output
  ) -> ConcurrentSequence<Self, Output> {
    ConcurrentSequence(base: self, jobs: jobs, work: work)
  }

  /// Applies `work`, which cannot fail, in the same way as `concurrently(_:_:)`.
  package func mappedConcurrently<Output: Sendable>(
    _ jobs: Int,
    _ work: @escaping @Sendable (Element) -> Output
  ) -> ConcurrentSequence<Self, Output> {
    ConcurrentSequence(base: self, jobs: jobs) { element in work(element) }
  }
}

/// The results of a bounded concurrent map over the elements of `base`, in the order of the elements.
package struct ConcurrentSequence<Base: AsyncSequence, Output: Sendable>: AsyncSequence
where Base.Element: BatchOfInputs, Base.Failure == PipelineFailure {
  package typealias Element = Output
  package typealias Failure = PipelineFailure

  let base: Base
  let jobs: Int
  let work: @Sendable (Base.Element) throws(LibcryptoFailure) -> Output

  package func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), limit: jobs == 1 ? 1 : 2 * jobs, work: work)
  }

  package struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let limit: Int
    let work: @Sendable (Base.Element) throws(LibcryptoFailure) -> Output
    /// The tasks that were begun and whose results are not handed on yet, in the order of their elements.
    var pending: [Task<Result<Output, LibcryptoFailure>, Never>] = []
    var isAtEnd = false
    /// True if the element that was begun last is a pause; no task is begun until `pending` is empty.
    var isPausing = false

    package mutating func next() async throws(PipelineFailure) -> Output? { try await next(isolation: nil) }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Output? {
      if pending.isEmpty { isPausing = false }
      while !isAtEnd, !isPausing, pending.count < limit {
        guard let element = try await base.next(isolation: actor) else {
          isAtEnd = true
          break
        }
        isPausing = element.isPause
        let work = work
        pending.append(Task.detached { Result { () throws(LibcryptoFailure) in try work(element) } })
      }
      guard !pending.isEmpty else { return nil }
      do { return try await pending.removeFirst().value.get() } catch { throw .libcrypto(error) }
    }
  }
}
