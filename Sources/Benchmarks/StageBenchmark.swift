internal import Base
internal import ConversionModel
internal import Ledger
internal import PostbackPipeline
internal import PostbackVerification
internal import Signatures
internal import Tables

/// The time of each stage of the pipeline. The stages run one after the other over each batch of a dump, on this
/// thread.
enum StageBenchmark {
  /// The number of postbacks from which the measure is long enough.
  private static let limit = 100_000

  static func measures(_ dump: Dump, models path: String) async throws -> [Measure] {
    let trust = try dump.trust()
    let (key, _) = try dump.key()
    for trusted in trust.keys { trusted.key.prepare() }
    key.prepare()
    var times = StageTimes()

    var reader = PostbackReader(inputs: try InputFile.enumerate([dump.path])).makeAsyncIterator()
    let receivedAt = ReceivedAtRule(time: Timestamp("2026-03-10T00:00:00Z"))
    let known = VerdictCache()
    let verified = BatchSource<Verified>()
    var deduplicated = verified.deduplicated(in: SeenIndex()).makeAsyncIterator()
    let models = try Models(loading: [path])
    let jsonLines = RowFormat(TableEncoding([.jsonLines]))
    let both = RowFormat(TableEncoding([.jsonLines, .csv]))
    var parts = SignedParts()
    var hash = try SHA256()
    var verifier = try BatchVerifier([key])
    var (read, accepted) = (0, 0)

    while read < limit {
      times.start()
      guard let raw = try await reader.next() else { break }
      times.end(.read)
      let parsed = raw.parsed(receivedAt: receivedAt)
      times.end(.parse)
      verified.batch = try parsed.verified(by: trust, known: known)
      times.end(.verify)
      guard case .batch(let unique)? = try await deduplicated.next() else { break }
      times.end(.dedup)
      let batch = unique.decoded(with: models)
      times.end(.decode)
      _ = try batch.encoded(as: jsonLines)
      times.end(.encodeJSON)
      _ = try batch.encoded(as: both)
      times.end(.encodeBoth)

      // The parts of verification once more, each by itself.
      parts.removeAll()
      times.start()
      parts.addMessages(of: parsed)
      times.end(.message)
      try parts.addDigests(&hash)
      times.end(.sha256)
      try parts.addSignatures(of: parsed)
      times.end(.base64)
      for index in 0..<parts.count {
        verifier.add(
          parts.signatures.bytes.span.extracting(parts.signatures.range(index)),
          of: parts.digest(index),
          by: 0
        )
      }
      _ = try verifier.verify()
      times.end(.ecdsa)

      read += batch.outcomes.count
      for case .accepted in batch.outcomes { accepted += 1 }
    }
    guard accepted == read else {
      throw BenchmarkFailure("\(accepted) of \(read) passed all stages")
    }
    return times.measures(postbacks: read)
  }
}

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

/// A source that feeds a stage of the pipeline with batches by hand, one at a time.
final class BatchSource<Good: Sendable>: AsyncSequence {
  typealias Element = Step<Batch<Good>>
  typealias Failure = PipelineFailure

  /// The next batch; nil gives the stage an end of its input, after which it may be asked again.
  var batch: Batch<Good>?

  func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: BatchSource

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(PipelineFailure) -> Step<Batch<Good>>? {
      defer { source.batch = nil }
      return source.batch.map { .batch($0) }
    }
  }
}
