@available(iOS 18.0, *)
extension AsyncSequence where Element: Sendable {
  /// Applies `work` to each element in a task of its own and hands on the results in the order of the elements.
  ///
  /// At most `jobs` + `ahead` tasks are begun and not yet handed on: `jobs` to work on, and the others waiting or done, so that
  /// no core idles while the consumer is busy. Without `ahead` these are as many again, and none with `jobs` 1.
  /// After an element for which `isBarrier` is true no task begins before all results up to and including its own are
  /// handed on.
  ///
  /// A failure of `work` is thrown where its result would be handed on, and one of the sequence behind the results of its
  /// elements. Nothing follows it. A task that has not yet begun its work does not begin it after a failure, and not after
  /// the release of the iterator. Cancelling the consumer's task does not end the sequence, because a sequence that ends
  /// early looks like a complete one.
  package func mapConcurrently<Output: Sendable>(
    _ jobs: Int,
    ahead: Int? = nil,
    isBarrier: @escaping (Element) -> Bool = { _ in false },
    _ work: @escaping @Sendable (Element) async throws(Failure) -> Output
  ) -> ConcurrentMap<Self, Output> {
    ConcurrentMap(base: self, limit: jobs + (ahead ?? (jobs > 1 ? jobs : 0)), isBarrier: isBarrier, work: work)
  }
}

@available(iOS 18.0, *)
extension Sequence where Element: Sendable {
  /// Applies `work` to each element concurrently, as for an asynchronous sequence.
  package func mapConcurrently<Output: Sendable, Failure: Error>(
    _ jobs: Int,
    ahead: Int? = nil,
    _ work: @escaping @Sendable (Element) async throws(Failure) -> Output
  ) -> ConcurrentMap<ReadyElements<Self, Failure>, Output> {
    ReadyElements<Self, Failure>(base: self).mapConcurrently(jobs, ahead: ahead, work)
  }
}

/// The results of a bounded concurrent map over the elements of `base`, in the order of the elements.
@available(iOS 18.0, *)
package struct ConcurrentMap<Base: AsyncSequence, Output: Sendable>: AsyncSequence where Base.Element: Sendable {
  package typealias Element = Output
  package typealias Failure = Base.Failure

  fileprivate let base: Base
  fileprivate let limit: Int
  fileprivate let isBarrier: (Base.Element) -> Bool
  fileprivate let work: @Sendable (Base.Element) async throws(Failure) -> Output

  package func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), limit: limit, isBarrier: isBarrier, work: work)
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Base.AsyncIterator
    fileprivate let limit: Int
    fileprivate let isBarrier: (Base.Element) -> Bool
    fileprivate let work: @Sendable (Base.Element) async throws(Failure) -> Output
    private let window = Window<Output, Failure>()
    private var isAtEnd = false
    /// The failure with which `base` ended, until it is thrown.
    private var failure: Failure?
    /// True if the element that was begun last is a barrier, until its result is handed on.
    private var isWaiting = false

    fileprivate init(
      base: Base.AsyncIterator,
      limit: Int,
      isBarrier: @escaping (Base.Element) -> Bool,
      work: @escaping @Sendable (Base.Element) async throws(Failure) -> Output
    ) {
      self.base = base
      self.limit = limit
      self.isBarrier = isBarrier
      self.work = work
    }

    package mutating func next() async throws(Failure) -> Output? { try await next(isolation: nil) }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Output? {
      if window.tasks.isEmpty { isWaiting = false }
      while !isAtEnd, !isWaiting, window.tasks.count < limit {
        do throws(Failure) {
          guard let element = try await base.next(isolation: actor) else {
            isAtEnd = true
            break
          }
          isWaiting = isBarrier(element)
          let work = work
          window.tasks.append(
            Task.detached { () -> Result<Output, Failure>? in
              if Task.isCancelled { return nil }
              do throws(Failure) { return .success(try await work(element)) } catch { return .failure(error) }
            }
          )
        } catch {
          (isAtEnd, failure) = (true, error)
        }
      }
      do throws(Failure) {
        if window.tasks.isEmpty, let failure { throw failure }
        // A task of the window is cancelled only when nothing is handed on any more, so that its result is not nil here.
        guard !window.tasks.isEmpty, let result = await window.tasks.removeFirst().value else { return nil }
        return try result.get()
      } catch {
        (isAtEnd, failure) = (true, nil)
        window.cancel()
        throw error
      }
    }
  }
}

/// The tasks that were begun and whose results are not handed on yet, in the order of their elements. They are
/// cancelled when the iterator is released.
private final class Window<Output: Sendable, Failure: Error> {
  var tasks: [Task<Result<Output, Failure>?, Never>] = []

  deinit { cancel() }

  func cancel() {
    for task in tasks { task.cancel() }
    tasks = []
  }
}

/// The elements of a sequence, which are all there, for a consumer that may throw.
@available(iOS 18.0, *)
package struct ReadyElements<Base: Sequence, Failure: Error>: AsyncSequence {
  package typealias Element = Base.Element

  fileprivate let base: Base

  package func makeAsyncIterator() -> Iterator { Iterator(base: base.makeIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: Base.Iterator

    package mutating func next() async throws(Failure) -> Base.Element? { base.next() }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Base.Element? {
      base.next()
    }
  }
}
