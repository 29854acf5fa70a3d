import Base
@testable import Ledger
@testable import PostbackVerification
@testable import Tampering
import CZlib
import ConversionModel
import JSON
import Signatures
import TestSupport

@testable import PostbackPipeline

/// All stages except the last, for one file.
struct Flow: Sendable {
  static let shared = Flow()

  private let trust: TrustPolicy
  private let models: Models
  private let format: RowFormat
  private let diagnoser: Diagnoser
  /// The cache of verdicts, which lives as long as the process, as in a run over many files.
  private let known = VerdictCache()

  private init() {
    do {
      trust = try TrustPolicy.apple()
      models = try Models(loading: [Fixtures.path("models")])
      diagnoser = try Diagnoser(trust, budget: Self.diagnosisBudget)
    } catch {
      fatalError("\(error)")
    }
    format = RowFormat(TableEncoding([.jsonLines, .csv]), keepsAddresses: true)
  }

  /// The budget of the diagnosis, enough for the first variants of any postback.
  private static let diagnosisBudget = 16

  func run(_ choice: UInt8, _ text: [UInt8]) async throws {
    let isSmall = choice & 4 != 0
    let limits = isSmall ? ReadLimits(recordBytes: 300, batchBytes: 1000, batchRecords: 3) : ReadLimits()
    let bufferSize = choice & 8 != 0 ? 7 : 4096
    let batches: [RawBatch]
    switch choice & 3 {
    case 0:
      batches = try Input(text).batches(limits, bufferSize: bufferSize)
      if Compression(start: text.span.extracting(first: Compression.magicCount)) == nil {
        Framing(batches).check(against: text)
      }
    case 1:
      // A member with a header in order, and anything for its contents.
      let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      batches = try Input(header + text).batches(limits, bufferSize: bufferSize)
    case 2:
      batches = try Input(Gzip.member(text)).batches(limits, bufferSize: bufferSize)
      Framing(batches).check(against: text)
    default:
      let member = Gzip.member(text)
      batches = try Input(member.dropLast(1 + Int(choice >> 4))).batches(limits, bufferSize: bufferSize)
      let last = batches.last { !$0.records.isEmpty }?.records.last
      require(last?.defect != nil, "a member that is cut has a last record that says so")
    }
    try await run(batches)
    // Where the text is cut into pieces changes nothing.
    if choice & 3 == 0 {
      let other = try Input(text).batches(limits, bufferSize: bufferSize == 7 ? 4096 : 7)
      require(Framing(other) == Framing(batches), "the same records, whatever the buffer")
    }
  }

  private func run(_ batches: [RawBatch]) async throws {
    var verified: [Batch<Verified>] = []
    for batch in batches {
      let parsed = batch.parsed(receivedAt: ReceivedAtRule(field: "received_at"))
      require(parsed.outcomes.count == batch.records.count, "an outcome for each record")
      let judged = try parsed.verified(by: trust, known: known)
      require(judged.outcomes.count == batch.records.count, "an outcome for each record")
      verified.append(judged)
    }
    let unique = BatchList(batches: verified).deduplicated(in: SeenIndex())
    var number = 0
    for try await case .batch(let batch) in unique {
      let decoded = batch.decoded(with: models)
      let rows = try decoded.encoded(as: format)
      try Conservation(batches[number], decoded).check(rows)
      try diagnose(batches[number], decoded)
      number += 1
    }
    require(number == batches.count, "a batch for each batch")
  }

  private func diagnose(_ raw: RawBatch, _ decoded: Batch<Decoded>) throws {
    for case .rejected(let rejection) in decoded.outcomes where rejection.code.isDiagnosable {
      let record = Array(raw.bytes[rejection.record.bytes.indices])
      let diagnosis = try diagnoser.diagnose(record)
      require(diagnosis.tried <= Self.diagnosisBudget, "a diagnosis keeps to its budget")
      require(Diagnosis.codes.contains(diagnosis.code), "a diagnosis has a finding that is known")
      _ = RelatedPostback(record: record)?.content
    }
  }
}

/// A sequence of batches, as a stage passes them on.
private struct BatchList: AsyncSequence {
  let batches: [Batch<Verified>]

  func makeAsyncIterator() -> Iterator { Iterator(batches: batches[...]) }

  struct Iterator: AsyncIteratorProtocol {
    var batches: ArraySlice<Batch<Verified>>

    mutating func next() async throws(PipelineFailure) -> Step<Batch<Verified>>? {
      batches.popFirst().map { .batch($0) }
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Step<Batch<Verified>>? {
      batches.popFirst().map { .batch($0) }
    }
  }
}
