import Foundation
import Synchronization
import Testing

@testable import ConversionClient

/// An install that is told to SKAdNetwork and to AdAttributionKit.
@Suite struct `An install` {
  /// The answer of one of Apple's frameworks.
  enum Answer: Sendable {
    case accepts, refuses, isAbsent
  }

  /// Both frameworks, with the number of calls of each.
  private final class Frameworks: PostbackUpdating {
    private let answers: (Answer, Answer)
    let calls = Mutex<[String]>([])

    init(_ skAdNetwork: Answer, _ adAttributionKit: Answer) { answers = (skAdNetwork, adAttributionKit) }

    func update(_ values: PostbackValues) async throws {
      try await InstallUpdate.tell {
        calls.withLock { $0.append("SKAdNetwork") }
        if answers.0 == .refuses { throw CocoaError(.featureUnsupported) }
      } adAttributionKit: {
        calls.withLock { $0.append("AdAttributionKit") }
        if answers.1 == .refuses { throw Failure() }
        return answers.1 == .accepts
      }
    }
  }

  @Test(arguments: [
    (Answer.accepts, Answer.accepts, true), (.accepts, .refuses, true), (.accepts, .isAbsent, true),
    (.refuses, .accepts, true), (.refuses, .refuses, false), (.refuses, .isAbsent, false),
  ])
  func `is registered if one framework accepts it, and both are told`(
    _ skAdNetwork: Answer,
    _ adAttributionKit: Answer,
    _ isRegistered: Bool
  ) async throws {
    let (apple, store) = (Frameworks(skAdNetwork, adAttributionKit), MemoryStore())
    let client = try ConversionClient(values: TestValues(), postbacks: apple, store: store, clock: TestClock())
    let error = await failure { try await client.register() }
    #expect(error == (isRegistered ? nil : "apple"))
    #expect(apple.calls.withLock { $0 } == ["SKAdNetwork", "AdAttributionKit"])
    #expect((store.values["skan_first_call_to_skadnetwork_timestamp"] != nil) == isRegistered)
  }

  @Test func `that both refuse has the error of SKAdNetwork`() async throws {
    await #expect(throws: CocoaError.self) {
      try await InstallUpdate.tell {
        throw CocoaError(.featureUnsupported)
      } adAttributionKit: {
        throw Failure()
      }
    }
  }
}
