internal import DurableFiles
internal import InputForms
package import Signatures

/// The records of one open input, framed from its decompressed text.
final class RecordStream {
  private let path: String
  private var stream: FormedText
  private var framer: Framer
  private var text: [UInt8]
  /// The range of `text` that was read and is not framed yet.
  private var unframed = 0..<0
  /// True once the whole input was framed, up to its end or to the place where it was cut.
  private(set) var isFinished = false

  static let bufferSize = 128 * 1024
  fileprivate static let smallSize = 8 * 1024
  /// The number of records above which an input must not have more records than stored bytes. No dump of postbacks has,
  /// because each has a different signature. A small file that becomes millions of rows is meant to fill a disk.
  private static let harmlessRecords: Int64 = 64 * 1024

  /// Tells if a dump of so many stored bytes may have so many records.
  static func isHarmless(_ records: Int64, in bytes: Int64) -> Bool { records <= harmlessRecords || records <= bytes }

  /// A stream of the records of `source`, the content of an input named `path` with `byteCount` stored bytes (nil if that is not known).
  /// Uses two buffers of at most `bufferSize` bytes: one for bytes as stored, one for text.
  init(
    _ source: consuming InputContent,
    path: String,
    byteCount: Int64?,
    limits: ReadLimits,
    content: ContentDigest,
    bufferSize: Int,
    firstLine: Int = 1,
    form: InputForm
  ) throws(FileFailure) {
    // Most files in a spool hold a single postback.
    let isSmall = (byteCount ?? .max) < Self.smallSize
    let bufferSize = isSmall ? min(bufferSize, Self.smallSize) : bufferSize
    var framer: Framer
    do {
      framer = try Framer(limits: limits, content: content, capacity: isSmall ? Self.smallSize : nil)
    } catch {
      throw FileFailure(.io, path, error.description)
    }
    if firstLine > 1 { (framer.state, framer.line) = (.top, firstLine) }
    self.framer = framer
    self.path = path
    let stream = TextStream(source, bufferSize: bufferSize)
    self.stream = FormedText(stream, form, limit: limits.recordBytes, isWhole: firstLine == 1)
    text = [UInt8](repeating: 0, count: bufferSize)
  }

  /// The header of an input that is CSV; nil for others.
  var csvHeader: CSVHeader? { stream.csvHeader }

  /// The number of bytes of the input, as stored, that were used so far.
  var consumed: Int64 { stream.consumed }

  /// The content digest of all records so far.
  var content: ContentDigest { framer.content }

  /// Reads until a batch is full or the input ends.
  func fill() throws(FileFailure) {
    do {
      while !framer.isFull, !isFinished {
        if unframed.isEmpty { try read() }
        let count = try framer.frame(text.span.extracting(unframed))
        unframed = unframed.lowerBound + count..<unframed.upperBound
        let records = framer.content.count
        if !isFinished, !Self.isHarmless(records, in: stream.consumed) {
          try finish(
            cut: "The compressed data has more records than bytes, which no real dump has. The rest is not read."
          )
        }
      }
    } catch let error as FileFailure {
      throw error
    } catch let error as LibcryptoFailure {
      throw FileFailure(.io, path, error.description)
    } catch {
      throw FileFailure(.io, path, "\(error)")
    }
  }

  /// Takes the complete records since the last call, and their bytes with the padding behind them.
  func take() -> (bytes: [UInt8], records: [Record]) { framer.take() }

  private func read() throws {
    switch try stream.read(into: &text) {
    case .text(let count):
      unframed = 0..<count
      framer.hasOnlyLines = stream.hasOnlyLines
    case .end: try finish(cut: nil)
    case .cut(let reason): try finish(cut: reason)
    }
  }

  private func finish(cut reason: String?) throws {
    isFinished = true
    try framer.finish(cut: reason)
  }
}

/// Splits a text that comes in pieces into records, by the rules for files: objects, arrays of them, or JSON Lines.
///
/// Holds one batch in memory, independent of the size of the text.
package struct RecordSplitter: ~Copyable {
  private var framer: Framer
  private var isFinished = false

  /// A splitter into records of at most `recordBytes` bytes. A longer record is cut and has the defect `tooLarge`.
  package init(recordBytes: Int) throws(LibcryptoFailure) {
    // Most of such texts are short.
    framer = try Framer(limits: ReadLimits(recordBytes: recordBytes), capacity: RecordStream.smallSize)
  }

  /// Splits the next piece of the text. Returns the number of bytes that were used, less than all if a batch must be
  /// taken first.
  package mutating func split(_ text: Span<UInt8>) throws(LibcryptoFailure) -> Int { try framer.frame(text) }

  /// Ends the text and its last record.
  package mutating func finish() throws(LibcryptoFailure) {
    try framer.finish()
    isFinished = true
  }

  /// Takes the next records, in order, and their bytes; returns nothing before a batch is full or the text has ended.
  package mutating func take() -> (bytes: [UInt8], records: [Record]) {
    framer.isFull || isFinished ? framer.take() : ([], [])
  }
}
