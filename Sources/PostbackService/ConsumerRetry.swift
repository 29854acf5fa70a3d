internal import DurableFiles
internal import PostbackPipeline

/// The rule by which a consumer tries again after a failure.
struct ConsumerRetry {
  /// Indicates that a receiver is in the same process, which goes on while the consumer fails.
  let hasReceiver: Bool
  private var begunAt = ContinuousClock.now
  /// The time that opening the state took; nil until it is open.
  private var opening: Duration?

  private static let shortestPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(600)

  /// Makes the rule for a consumer.
  init(hasReceiver: Bool) { self.hasReceiver = hasReceiver }

  /// Records that an attempt begins.
  mutating func begin() { (begunAt, opening) = (.now, nil) }

  /// Records that the state is open.
  mutating func opened() { opening = .now - begunAt }

  /// Returns the failure after which the consumer tries again; nil if it has to end.
  ///
  /// A full disk is always waited for. With a receiver in the process, so is every failure of the state, the tables and the
  /// spool: postbacks are received meanwhile, and whatever is wrong can be repaired.
  func repeatable(_ failure: PipelineFailure) -> FileFailure? {
    switch failure {
    case .libcrypto: nil
    case .state(let failure) where failure.kind == .diskFull: failure
    case .state(let failure), .read(let failure), .spool(let failure): hasReceiver ? failure : nil
    }
  }

  /// Returns the time until the next attempt. Opening a large state that is damaged takes long, and may take a twentieth of
  /// a core; a lock is only waited for.
  func pause(after failure: FileFailure) -> Duration {
    let opening = failure.kind == .locked ? .zero : opening ?? .now - begunAt
    return min(max(opening * 20, Self.shortestPause), Self.longestPause)
  }
}

extension PipelineFailure {
  /// The state of things until the failure is repaired, as a sentence.
  var consequence: String {
    switch self {
    case .read: "It stays in the spool, and no file after it is taken until it can be read or is moved away."
    case .spool: "No file is taken from the spool until it can be used."
    default: "No file is taken from the spool until the state and the tables can be used."
    }
  }
}
