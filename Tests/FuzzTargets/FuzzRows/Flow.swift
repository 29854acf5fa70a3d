@testable import Ledger
@testable import PostbackVerification
import ConversionModel
import DurableFiles
import Tables
import TestSupport

@testable import PostbackPipeline

/// All stages except the last, for one text.
struct Flow: Sendable {
  static let shared = Flow()

  private let trust: TrustPolicy
  private let models: Models
  private let format: RowFormat
  /// The cache of verdicts, which lives as long as the process, as in a run over many files.
  private let known = VerdictCache()

  private init() {
    do {
      trust = try TrustPolicy.apple()
      models = try Models(loading: [Fixtures.path("models")])
    } catch {
      fatalError("\(error)")
    }
    format = RowFormat(TableEncoding([.jsonLines, .csv]), keepsAddresses: true)
  }

  /// A byte that chooses the limits of batches, and the text.
  func run(_ choice: UInt8, _ text: [UInt8]) throws {
    let limits = choice & 1 != 0 ? ReadLimits(recordBytes: 300, batchBytes: 1000, batchRecords: 3) : ReadLimits()
    let input = InputFile(path: "in/\"é\".jsonl", modified: 1_700_000_000_000)
    let identity = FileIdentity(device: 1, inode: 1, byteCount: Int64(text.count))
    let opened = OpenInput(input, InputText(text), identity)
    let reader = try InputReader(opened, InputCatalog(), limits: limits, bufferSize: 4096)
    let index = SeenIndex()
    while let batch = try reader.nextBatch() { try run(batch, index) }
  }

  private func run(_ batch: RawBatch, _ index: SeenIndex) throws {
    let parsed = batch.parsed(receivedAt: ReceivedAtRule(field: "received_at"))
    require(parsed.outcomes.count == batch.records.count, "an outcome for each record")
    let verified = try parsed.verified(by: trust, known: known)
    require(verified.outcomes.count == batch.records.count, "an outcome for each record")
    let decoded = try verified.deduplicated(in: index).decoded(with: models)
    try Conservation(batch, decoded).check(try decoded.encoded(as: format))
  }
}

/// A text in place of a file.
private final class InputText: InputBytes {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  func read(into buffer: inout [UInt8], at start: Int) throws(FileFailure) -> Int {
    let count = min(buffer.count - start, text.count - position)
    buffer.replaceSubrange(start..<start + count, with: text[position..<position + count])
    position += count
    return count
  }

  func rewind() { position = 0 }
}
