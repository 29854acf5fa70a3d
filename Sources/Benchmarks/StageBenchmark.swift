internal import Base
internal import Tables
internal import Ledger
internal import PostbackVerification
internal import ConversionModel
internal import PostbackPipeline
internal import Signatures

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
    var deduplicated = verified.deduplicated(in: TransactionIndex()).makeAsyncIterator()
    let models = try Models(loading: [path])
    let jsonLines = RowFormat(TableEncoding([.jsonLines]), trust: trust)
    let both = RowFormat(TableEncoding([.jsonLines, .csv]), trust: trust)
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
      guard let unique = try await deduplicated.next() else { break }
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
