internal import Signatures

extension AsyncSequence where Element: BatchOfInputs, Failure == PipelineFailure {
  /// Works on up to `jobs` elements at once and hands on what becomes of them, in their order.
  ///
  /// Holds no more elements than are worked on, and as many again that are waiting or done, so that nobody idles while
  /// the consumer is busy; behind a pause nothing is begun before all is handed on. With one job there is nothing at once
  /// at all.
  func concurrently<Output: Sendable>(
    _ jobs: Int,
    _ work: @escaping @Sendable (Element) throws(LibcryptoFailure) -> Output
  ) -> ConcurrentSequence<Self, Output> {
    ConcurrentSequence(base: self, jobs: jobs, work: work)
  }

  /// The same with work that cannot fail.
  package func mappedConcurrently<Output: Sendable>(
    _ jobs: Int,
    _ work: @escaping @Sendable (Element) -> Output
  ) -> ConcurrentSequence<Self, Output> {
    ConcurrentSequence(base: self, jobs: jobs) { element in work(element) }
  }
}

/// What tasks make of the elements of another sequence.
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
    /// The tasks that were begun and not handed on, in order.
    var pending: [Task<Result<Output, LibcryptoFailure>, Never>] = []
    var isAtEnd = false
    /// Whether the last that was begun is a pause.
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
