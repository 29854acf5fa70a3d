import Base
import Synchronization
import Testing

/// The concurrent map, over elements that a test hands out.
@Suite struct ConcurrentMapTests {
  private struct Refusal: Error, Equatable {
    let number: Int
  }

  /// The number of elements given to the map.
  private final class Progress: Sendable {
    let given = Atomic(0)
  }

  /// The numbers from 1, counted in a progress when the map asks for them.
  private struct Numbers: AsyncSequence {
    let count: Int
    let progress: Progress
    var failure: Refusal?

    func makeAsyncIterator() -> Iterator { Iterator(numbers: self) }

    struct Iterator: AsyncIteratorProtocol {
      let numbers: Numbers
      var number = 0

      mutating func next() async throws(Refusal) -> Int? { try await next(isolation: nil) }

      mutating func next(isolation actor: isolated (any Actor)?) async throws(Refusal) -> Int? {
        guard number < numbers.count else {
          if let failure = numbers.failure { throw failure }
          return nil
        }
        number += 1
        numbers.progress.given.add(1, ordering: .relaxed)
        return number
      }
    }
  }

  @Test(arguments: [1, 2, 7])
  func `results are in the order of the elements, whichever is done first`(_ jobs: Int) async throws {
    let numbers = Array(0..<300)
    var squares: [Int] = []
    let map = numbers.mapConcurrently(jobs) { number throws(Refusal) in
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<Int.random(in: 0...2000) { _ = generator.next() }
      return number * number
    }
    for try await square in map { squares.append(square) }
    #expect(squares == numbers.map { $0 * $0 })
  }

  @Test(arguments: [(1, 1), (2, 4), (5, 10)])
  func `at most twice the jobs are begun and not handed on`(_ jobs: Int, _ limit: Int) async throws {
    let progress = Progress()
    var iterator = Numbers(count: 40, progress: progress).mapConcurrently(jobs) { $0 }.makeAsyncIterator()
    var handedOn = 0
    while let number = try await iterator.next() {
      #expect(progress.given.load(ordering: .relaxed) <= handedOn + limit)
      handedOn += 1
      #expect(number == handedOn)
    }
    #expect(handedOn == 40)
  }

  @Test func `no task begins after a barrier before the barrier is handed on`() async throws {
    let progress = Progress()
    let map = Numbers(count: 12, progress: progress).mapConcurrently(8, isBarrier: { $0 % 5 == 0 }) { $0 }
    var iterator = map.makeAsyncIterator()
    var given: [Int] = []
    while try await iterator.next() != nil { given.append(progress.given.load(ordering: .relaxed)) }
    #expect(given == [5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 12, 12])
  }

  @Test func `a failure of the work is thrown in its place, and nothing follows`() async throws {
    let map = (1...50).mapConcurrently(4) { number throws(Refusal) in
      if number % 10 == 0 { throw Refusal(number: number) }
      return number
    }
    var iterator = map.makeAsyncIterator()
    for number in 1..<10 { #expect(try await iterator.next() == number) }
    await #expect(throws: Refusal(number: 10)) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a failure of the elements is thrown behind their results, and nothing follows`() async throws {
    let numbers = Numbers(count: 3, progress: Progress(), failure: Refusal(number: 4))
    var iterator = numbers.mapConcurrently(2) { $0 }.makeAsyncIterator()
    for number in 1...3 { #expect(try await iterator.next() == number) }
    await #expect(throws: Refusal(number: 4)) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `a task is cancelled when the consumer lets go`() async throws {
    let hasBegun = Atomic(false)
    let isCancelled = Atomic(false)
    do {
      let map = Numbers(count: 2, progress: Progress()).mapConcurrently(2) { number in
        if number == 2 { hasBegun.store(true, ordering: .releasing) }
        let end = ContinuousClock.now + .seconds(20)
        while number == 2, !Task.isCancelled, .now < end {}
        if number == 2 { isCancelled.store(Task.isCancelled, ordering: .releasing) }
        return number
      }
      var iterator = map.makeAsyncIterator()
      #expect(try await iterator.next() == 1)
    }
    for _ in 0..<200 where !isCancelled.load(ordering: .acquiring) { try await Task.sleep(for: .milliseconds(10)) }
    // A task that is cancelled before it has begun its work does not begin it.
    #expect(isCancelled.load(ordering: .acquiring) == hasBegun.load(ordering: .acquiring))
  }
}
