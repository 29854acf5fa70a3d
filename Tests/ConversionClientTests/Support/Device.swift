import ConversionClient
import Foundation
import Synchronization
import Testing

/// A clock that a test sets.
final class TestClock: Clock {
  private let time: Mutex<Int>
  init(_ now: Int = t0) { time = Mutex(now) }

  var now: Int {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  func sleep(seconds: Double) async throws {}
}

/// The first launch in most tests.
let t0 = 1_790_000_000

/// A failure that a test asks for.
struct Failure: Error, Equatable {}

/// A store in memory, which fails on demand.
final class MemoryStore: KeyValueStore {
  private struct State {
    var values: [String: StoredValue] = [:]
    var fails = false
  }
  private let state = Mutex(State())

  init(_ values: [String: StoredValue] = [:]) { state.withLock { $0.values = values } }

  var values: [String: StoredValue] { state.withLock { $0.values } }
  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  func load(_ keys: [String]) throws -> [String: StoredValue] { values.filter { keys.contains($0.key) } }

  func save(_ changes: [String: StoredValue?]) throws {
    try state.withLock { state in
      if state.fails { throw Failure() }
      for (key, value) in changes { state.values[key] = value }
    }
  }
}

/// Apple's side, which notes the values that it accepts and fails on demand.
final class TestPostbacks: PostbackUpdating {
  private struct State {
    var accepted: [PostbackValues] = []
    var fails = false
    var failing: AdConversionType?
  }
  private let state = Mutex(State())

  var accepted: [PostbackValues] { state.withLock { $0.accepted } }
  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  /// The type of conversion whose values alone are refused.
  var failing: AdConversionType? {
    get { state.withLock { $0.failing } }
    set { state.withLock { $0.failing = newValue } }
  }

  func update(_ values: PostbackValues) async throws {
    try state.withLock { state in
      if state.fails || state.failing == values.conversionType { throw Failure() }
      state.accepted.append(values)
    }
  }
}

/// A source that gives the answers of a test, in order, and then the last one again.
final class TestValues: ConversionValueSource {
  enum Answer: Sendable {
    case values(ConversionValues?)
    case failure(ConversionClientError)
  }

  private let answers = Mutex<[Answer]>([])
  private let action = Mutex<(@Sendable () -> Void)?>(nil)
  let knowsReengagements: Bool

  init(_ answers: [Answer] = [.values(nil)], knowsReengagements: Bool = false) {
    self.knowsReengagements = knowsReengagements
    self.answers.withLock { $0 = answers }
  }

  convenience init(_ values: ConversionValues) { self.init([.values(values)]) }

  /// Sets what happens between each request and its answer.
  func meanwhile(_ action: @escaping @Sendable () -> Void) { self.action.withLock { $0 = action } }

  func next(_ answer: Answer) { answers.withLock { $0 = [answer] } }

  func values(for request: ConversionValueRequest) async throws(ConversionClientError) -> ConversionValues? {
    action.withLock { $0 }?()
    let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    switch answer {
    case .values(let values): return values
    case .failure(let error): throw error
    }
  }
}

/// A transport that gives the answers of a test, in order, and then the last one again.
final class TestTransport: Transport {
  /// A status with a body, or nil for a failure of the network.
  typealias Answer = (status: Int, body: String)?
  private let answers: Mutex<[Answer]>
  private let lines = Mutex<[String]>([])

  init(_ answers: [Answer]) { self.answers = Mutex(answers) }

  convenience init(_ first: String, _ more: String...) { self.init(([first] + more).map { (200, $0) }) }

  var requests: [String] { lines.withLock { $0 } }

  func get(_ url: URL) async throws -> HTTPAnswer {
    lines.withLock { $0.append(url.absoluteString) }
    guard let answer = answers.withLock({ $0.count > 1 ? $0.removeFirst() : $0[0] }) else { throw Failure() }
    return HTTPAnswer(status: answer.status, body: Data(answer.body.utf8))
  }
}

/// A device with the client and its parts.
struct Device {
  let clock = TestClock()
  let store: MemoryStore
  let apple = TestPostbacks()
  let client: ConversionClient

  init(
    _ values: any ConversionValueSource,
    framework: AdFramework = .skAdNetwork4,
    overlapsReengagements: Bool = false,
    store: MemoryStore = MemoryStore()
  ) throws {
    self.store = store
    client = try ConversionClient(
      values: values,
      postbacks: apple,
      framework: framework,
      overlapsReengagements: overlapsReengagements,
      store: store,
      clock: clock
    )
  }

  /// A device whose server gives these answers.
  init(_ transport: TestTransport, version: ServerValues.Version = .v2, framework: AdFramework = .skAdNetwork4) throws {
    let clock = TestClock()
    let server = try #require(URL(string: "https://values.example.com"))
    let app = AppIdentity(bundleID: "com.example.game", sdkKey: "key")
    try self.init(
      ServerValues(of: server, for: app, version: version, transport: transport, clock: clock),
      framework: framework
    )
  }
}

extension ConversionClientError {
  /// The name of the case, for comparisons.
  var name: String { String("\(self)".prefix { $0 != "(" }) }
}

/// The error of an operation; nil if it succeeds.
func failure(of operation: () async throws -> Void) async -> String? {
  do {
    try await operation()
    return nil
  } catch {
    return (error as? ConversionClientError)?.name ?? "\(error)"
  }
}
