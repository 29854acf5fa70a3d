internal import Signatures

/// Reads one input, batch by batch.
final class InputReader {
  private static let defaultBufferSize = 128 * 1024

  private let input: InputFile
  private var stream: TextStream
  private var framer: Framer
  private var text: [UInt8]
  /// The bytes of `text` that were read and not framed yet.
  private var unframed = 0..<0
  private var isFinished = false

  /// Opens the input; the buffers, one for the bytes as stored and one for text, have `bufferSize` bytes.
  convenience init(_ input: InputFile, limits: ReadLimits, bufferSize: Int = defaultBufferSize) throws(ReadFailure) {
    try self.init(input, try OpenFile(path: input.path), limits: limits, bufferSize: bufferSize)
  }

  /// Takes over a file of a spool that is open: what is read is the file that was looked at, whatever its path names by now.
  convenience init(_ spooled: consuming SpoolFile, limits: ReadLimits) throws(ReadFailure) {
    let input = spooled.input
    try self.init(input, spooled.opened(), limits: limits, bufferSize: Self.defaultBufferSize)
  }

  private init(
    _ input: InputFile,
    _ file: consuming OpenFile,
    limits: ReadLimits,
    bufferSize: Int
  ) throws(ReadFailure) {
    self.input = input
    stream = TextStream(file, bufferSize: bufferSize)
    do {
      framer = try Framer(limits: limits)
    } catch {
      throw ReadFailure(path: input.path, library: error)
    }
    text = [UInt8](repeating: 0, count: bufferSize)
  }

  /// The next batch; nil at the end of the input.
  func nextBatch() throws(ReadFailure) -> RawBatch? {
    while !framer.isFull, !isFinished {
      if unframed.isEmpty { try readText() }
      try frameText()
    }
    guard !framer.isEmpty else { return nil }
    let (bytes, records) = framer.take()
    return RawBatch(input: input, bytes: bytes, records: records, consumed: stream.consumed)
  }

  private func readText() throws(ReadFailure) {
    switch try stream.read(into: &text) {
    case .text(let count): unframed = 0..<count
    case .end: try finish(cut: nil)
    case .cut(let reason): try finish(cut: reason)
    }
  }

  private func finish(cut reason: String?) throws(ReadFailure) {
    isFinished = true
    do {
      try framer.finish(cut: reason)
    } catch {
      throw ReadFailure(path: input.path, library: error)
    }
  }

  private func frameText() throws(ReadFailure) {
    do {
      let count = try framer.frame(text.span.extracting(unframed))
      unframed = unframed.lowerBound + count..<unframed.upperBound
    } catch {
      throw ReadFailure(path: input.path, library: error)
    }
  }
}
