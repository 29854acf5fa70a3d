import Base
@testable import Ledger
@testable import PostbackVerification
import ConversionModel
import JSON
import SKAdNetwork
import Signatures
import TestSupport

@testable import PostbackPipeline

/// Records through the flow without a disk: what becomes of each.
struct Flow {
  var trust: TrustPolicy
  var models = Models.none
  var receivedAt = ReceivedAtRule()
  var jobs = 1

  init() throws { trust = try TrustPolicy.apple() }

  /// The outcomes of records that each are a line.
  func outcomes(of lines: [[UInt8]], batchSize: Int = 3) async throws -> [Fate] {
    try await outcomes(of: RawLines(lines: lines, batchSize: batchSize))
  }

  /// The outcomes of a file among the fixtures.
  func outcomes(ofFixture path: String) async throws -> [Fate] {
    try await outcomes(of: SourceReader(InputList(try InputFile.enumerate([Fixtures.path(path)])), InputCatalog()))
  }

  private func outcomes<Base: AsyncSequence>(of base: Base) async throws -> [Fate]
  where Base.Element == Step<RawBatch>, Base.Failure == PipelineFailure {
    let (receivedAt, trust, known) = (receivedAt, trust, VerdictCache())
    let batches = base.concurrently(jobs) { batch throws(PipelineFailure) in
      try batch.parsed(receivedAt: receivedAt).verified(by: trust, known: known)
    }
    var outcomes: [Fate] = []
    for try await case .batch(let batch) in batches.deduplicated(in: SeenIndex()) {
      outcomes += batch.decoded(with: models).outcomes.map { Fate(outcome: $0, bytes: batch.bytes) }
    }
    return outcomes
  }

  /// The verdict on one postback, whatever comes of it.
  func verification(of text: [UInt8]) throws -> SignatureVerification {
    var parser = PostbackParser()
    var bytes = text + [UInt8](repeating: 0, count: RawBatch.padding)
    let postback = try parser.parse(0..<text.count, of: &bytes)
    var verifier = try SignatureVerifier(trust)
    return try verifier.verify(postback, of: bytes)
  }
}

/// Lines as batches, as a reader would make them.
struct RawLines: AsyncSequence {
  let lines: [[UInt8]]
  let batchSize: Int

  func makeAsyncIterator() -> Iterator { Iterator(lines: lines[...], batchSize: batchSize) }

  struct Iterator: AsyncIteratorProtocol {
    var lines: ArraySlice<[UInt8]>
    let batchSize: Int
    var line = 0

    mutating func next() async throws(PipelineFailure) -> Step<RawBatch>? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Step<RawBatch>? {
      guard !lines.isEmpty else { return nil }
      let input = InputFile(path: "lines", modified: nil, byteCount: nil)
      let origin = BatchOrigin(input: input, recordCount: Swift.min(batchSize, lines.count), consumed: 0)
      var batch = RawBatch(bytes: [], records: [], origins: [origin])
      for text in lines.prefix(batchSize) {
        line += 1
        batch.records.append(
          Record(bytes: .init(start: batch.bytes.count, count: text.count), line: line, defect: nil)
        )
        batch.bytes += text + [UInt8(ascii: "\n")]
      }
      batch.bytes += [UInt8](repeating: 0, count: RawBatch.padding)
      lines = lines.dropFirst(batchSize)
      return .batch(batch)
    }
  }
}

/// What became of one record.
struct Fate {
  let outcome: Outcome<Decoded>
  let bytes: [UInt8]

  /// The code, where it was rejected.
  var rejectCode: RejectCode? { rejection?.code }

  /// Why it was rejected, where it was.
  var rejection: Rejection? {
    if case .rejected(let rejection) = outcome { rejection } else { nil }
  }

  /// The postback, where it was accepted.
  var verified: Verified? {
    if case .accepted(let decoded) = outcome { decoded.unique.verified } else { nil }
  }

  func text(_ range: ByteRange?) -> String? { range.map { String(decoding: bytes[$0.indices], as: UTF8.self) } }
}
