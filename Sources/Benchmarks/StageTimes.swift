internal import Signatures

/// The times of the stages of the pipeline, on a thread that does nothing else.
struct StageTimes {
  /// A stage, or a part of one.
  enum Stage: String, CaseIterable {
    case read, parse, verify, message, sha256, base64, ecdsa, dedup, decode
    case encodeJSON = "encode_jsonl"
    case encodeBoth = "encode_both"

    /// The name for people.
    var title: String {
      switch self {
      case .read: "read and frame"
      case .parse: "parse"
      case .verify: "verify"
      case .message: "  of it building messages"
      case .sha256: "  of it SHA-256, of message and identity"
      case .base64: "  of it base64"
      case .ecdsa: "  of it ECDSA, with BatchVerifier"
      case .dedup: "deduplicate"
      case .decode: "decode"
      case .encodeJSON: "encode as JSON Lines"
      case .encodeBoth: "encode as JSON Lines and CSV"
      }
    }
  }

  private var times: [Stage: Duration] = [:]
  private var lap = ContinuousClock.now

  /// Starts the clock.
  mutating func start() { lap = .now }

  /// Adds the time since the start, or since the end of the last stage, to a stage.
  mutating func end(_ stage: Stage) {
    let now = ContinuousClock.now
    times[stage, default: .zero] += now - lap
    lap = .now
  }

  /// Returns the time of each stage for one of `count` postbacks.
  func measures(postbacks count: Int) -> [Measure] {
    Stage.allCases.map { stage in
      let time = times[stage, default: .zero] / .microseconds(1)
      return Measure("stage.\(stage.rawValue)", stage.title, time / Double(count), .microseconds, to: .oneCore)
    }
  }
}
