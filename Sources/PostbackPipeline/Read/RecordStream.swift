internal import Signatures

/// The records of one open input: its text, framed.
final class RecordStream {
  private let path: String
  private var stream: TextStream
  private var framer: Framer
  private var text: [UInt8]
  /// The bytes of `text` that were read and not framed yet.
  private var unframed = 0..<0
  /// Whether all was framed.
  private(set) var isFinished = false

  static let bufferSize = 128 * 1024
  private static let smallSize = 8 * 1024
  /// An input with more records than these may not have more records than bytes: no dump of postbacks does, as every
  /// signature is another. What is small and becomes millions of rows is made to fill a disk.
  private static let harmlessRecords: Int64 = 64 * 1024

  /// The records of `file`, an input called `path` with `byteCount` bytes if that is known, with two buffers of at most
  /// `bufferSize` bytes: one for bytes as stored, one for text.
  init(
    _ file: consuming OpenFile,
    path: String,
    byteCount: Int64?,
    limits: ReadLimits,
    content: ContentDigest,
    bufferSize: Int
  ) throws(ReadFailure) {
    // Most files of a spool are one postback.
    let isSmall = (byteCount ?? .max) < Self.smallSize
    let bufferSize = isSmall ? min(bufferSize, Self.smallSize) : bufferSize
    let framer: Framer
    do {
      framer = try Framer(limits: limits, content: content, capacity: isSmall ? Self.smallSize : nil)
    } catch {
      throw ReadFailure(path: path, library: error)
    }
    self.framer = framer
    self.path = path
    stream = TextStream(file, bufferSize: bufferSize)
    text = [UInt8](repeating: 0, count: bufferSize)
  }

  /// Bytes of the input, as stored, that were used so far.
  var consumed: Int64 { stream.consumed }

  /// What all records so far are known by.
  var content: ContentDigest { framer.content }

  /// Reads until a batch is full or the input ends.
  func fill() throws(ReadFailure) {
    do {
      while !framer.isFull, !isFinished {
        if unframed.isEmpty { try read() }
        let count = try framer.frame(text.span.extracting(unframed))
        unframed = unframed.lowerBound + count..<unframed.upperBound
        let records = framer.content.count
        if !isFinished, records > Self.harmlessRecords, records > stream.consumed {
          try finish(cut: "the compressed data holds more records than bytes, which no dump does")
        }
      }
    } catch let error as ReadFailure {
      throw error
    } catch let error as LibcryptoFailure {
      throw ReadFailure(path: path, library: error)
    } catch {
      throw ReadFailure(.inputOutput, path: path, reason: "\(error)")
    }
  }

  /// The complete records since it was asked before, and their bytes with the padding behind them.
  func take() -> (bytes: [UInt8], records: [Record]) { framer.take() }

  private func read() throws {
    switch try stream.read(into: &text) {
    case .text(let count): unframed = 0..<count
    case .end: try finish(cut: nil)
    case .cut(let reason): try finish(cut: reason)
    }
  }

  private func finish(cut reason: String?) throws {
    isFinished = true
    try framer.finish(cut: reason)
  }
}
