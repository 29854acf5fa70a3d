import JSON

@testable import PostbackPipeline

/// The records of a text.
struct Framing: Equatable {
  private struct Framed: Equatable {
    let bytes: [UInt8]
    let line: Int
    let defect: FramingDefect?
  }

  private let records: [Framed]

  init(_ batches: [RawBatch]) {
    records = batches.flatMap { batch in
      batch.records.map { record in
        require(record.bytes.indices.upperBound + RawBatch.padding <= batch.bytes.count, "a record is padded")
        return Framed(bytes: Array(batch.bytes[record.bytes.indices]), line: record.line, defect: record.defect)
      }
    }
  }

  /// Checks that every byte, except white space and the punctuation of arrays, is in exactly one record, in order.
  func check(against text: [UInt8]) {
    let isWhole = records.allSatisfy { record in
      if case .tooLarge = record.defect { false } else { true }
    }
    guard isWhole else { return }
    let kept = records.flatMap(\.bytes).filter(Self.isContent)
    require(kept == text.filter(Self.isContent), "the records hold all of the text")
  }

  private static func isContent(_ byte: UInt8) -> Bool {
    !byte.isWhitespace && byte != UInt8(ascii: "[") && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "]")
  }
}
