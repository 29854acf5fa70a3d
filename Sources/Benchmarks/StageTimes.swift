/// What the stages of the pipeline took, of a thread that did nothing else.
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

  /// Begins to take the time.
  mutating func start() { lap = .now }

  /// Counts the time since the start, or the last stage's end, for a stage.
  mutating func end(_ stage: Stage) {
    let now = ContinuousClock.now
    times[stage, default: .zero] += now - lap
    lap = .now
  }

  /// The time of each stage for one of `count` postbacks.
  func measures(postbacks count: Int) -> [Measure] {
    Stage.allCases.map { stage in
      let time = times[stage, default: .zero] / .microseconds(1)
      return Measure("stage.\(stage.rawValue)", stage.title, time / Double(count), .microseconds, to: .oneCore)
    }
  }
}
