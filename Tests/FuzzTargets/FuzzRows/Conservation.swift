import Base
@testable import ConversionModel
@testable import Tables
import JSON
import SKAdNetwork
import Signatures

@testable import PostbackPipeline

/// The rules that the records of a batch and its rows must obey.
struct Conservation {
  private let raw: RawBatch
  private let decoded: Batch<Decoded>

  init(_ raw: RawBatch, _ decoded: Batch<Decoded>) {
    self.raw = raw
    self.decoded = decoded
  }

  func check(_ encoded: EncodedBatch) throws {
    require(decoded.outcomes.count == raw.records.count, "an outcome for each record")
    require(encoded.tally.read == raw.records.count, "every record is counted")
    require(encoded.tally.read == encoded.tally.accepted + encoded.tally.rejected, "read = accepted + rejected")
    var tables: [Rows] = []
    for (table, portions) in zip(Table.all, encoded.portions.all) {
      tables.append(Rows(table, portions.first?.rows ?? EncodedRows()))
    }
    var (accepted, rejected) = (0, 0)
    for (record, outcome) in zip(raw.records, decoded.outcomes) {
      switch outcome {
      case .accepted(let good):
        require(good.unique.verified.parsed.record.line == record.line, "the outcomes keep their order")
        require(tables[0].number("source_line", accepted) == record.line, "an accepted row is that of its record")
        accepted += 1
      case .rejected(let rejection):
        require(rejection.record.line == record.line, "the outcomes keep their order")
        require(rejection.record.isUnwrapped || rejection.record == record, "only an envelope is removed")
        try check(rejection.record, tables[2], rejected)
        rejected += 1
      }
    }
    require(tables[0].count == accepted && tables[2].count == rejected, "a row for each record, and no more")
    require(encoded.firsts.count == accepted, "an entry for each first postback")
  }

  private func check(_ record: Record, _ rejects: Rows, _ row: Int) throws {
    require(rejects.number("source_line", row) == record.line, "a reject is that of its record")
    let bytes = Array(decoded.bytes[record.bytes.indices])
    let (text, base64) = (rejects.text("raw_body", row), rejects.text("raw_body_base64", row))
    require((text == nil) != (base64 == nil), "a reject has its bytes once")
    if let text { require(text == bytes, "a reject has its record's bytes") }
    if let base64 {
      var decoded: [UInt8] = []
      require(Base64.standard.decode(base64.span, appendingTo: &decoded), "base64 is base64")
      require(decoded == bytes, "a reject has its record's bytes")
    }
    if case .tooLarge = record.defect { return }
    var hash = try SHA256()
    var digits: [UInt8] = []
    let digest = try hash.digest(of: bytes.span).bytes
    digits.appendHexadecimal(digest.span)
    require(rejects.text("raw_sha256", row) == digits, "a reject has its record's SHA-256")
  }
}
