internal import Signatures

/// Reads one input, batch by batch.
final class InputReader {
  private let input: InputFile
  private let register: InputRegister
  private var stream: TextStream
  private var framer: Framer
  private var text: [UInt8]
  /// The bytes of `text` that were read and not framed yet.
  private var unframed = 0..<0
  /// What the ledger is to know of the input, if that is anything new.
  private var known: LedgerInput?
  /// So many records are in the tables already.
  private let skipped: Int64
  /// The path of what has the same content, where that is in the tables.
  private let twin: String?
  private var isFinished = false
  private var isEnded = false

  private static let bufferSize = 128 * 1024
  private static let smallSize = 8 * 1024

  /// Begins to read an input where the register says; the buffers, one for the bytes as stored and one for text, have
  /// `bufferSize` bytes.
  init(
    _ opened: consuming OpenInput,
    _ register: InputRegister,
    limits: ReadLimits,
    bufferSize: Int = bufferSize
  ) throws(PipelineFailure) {
    self.register = register
    let input = opened.input
    let plan = try register.plan(input.path, opened.identity) { watched throws(PipelineFailure) in
      do throws(ReadFailure) { return try Self.scan(opened, limits, register.seed, watched) } catch {
        throw .read(error)
      }
    }
    var twin: String?
    switch plan {
    case .read(let input): known = input
    case .skip(let path, let alias):
      known = alias
      twin = path
    case .refuse(let before):
      let reason = "has changed since \(before.records) of its records were committed"
      throw .read(
        ReadFailure(.inputOutput, path: input.path, reason: reason + "; restore it, or begin with other folders")
      )
    }
    self.input = input
    self.twin = twin
    skipped = known?.records ?? 0
    // Most files of a spool are one postback.
    let isSmall = (opened.identity?.byteCount ?? .max) < Self.smallSize
    let bufferSize = isSmall ? min(bufferSize, Self.smallSize) : bufferSize
    stream = TextStream(opened.file, bufferSize: bufferSize)
    do {
      let content = ContentDigest(seed: register.seed)
      framer = try Framer(limits: limits, content: content, capacity: isSmall ? Self.smallSize : nil)
    } catch {
      throw .read(ReadFailure(path: input.path, library: error))
    }
    text = [UInt8](repeating: 0, count: bufferSize)
  }

  /// Reads all of an open input for its digest, and goes back to the start.
  private static func scan(
    _ opened: borrowing OpenInput,
    _ limits: ReadLimits,
    _ seed: UInt64,
    _ watched: Int64
  ) throws(ReadFailure) -> ContentDigest {
    var stream = TextStream(try opened.file.duplicate(), bufferSize: bufferSize)
    var text = [UInt8](repeating: 0, count: bufferSize)
    do {
      var framer = try Framer(limits: limits, content: ContentDigest(seed: seed, watching: watched))
      var isFinished = false
      while !isFinished {
        switch try stream.read(into: &text) {
        case .text(let count):
          var start = 0
          while start < count {
            start += try framer.frame(text.span.extracting(start..<count))
            if framer.isFull { _ = framer.take() }
          }
        case .end:
          try framer.finish()
          isFinished = true
        case .cut(let reason):
          try framer.finish(cut: reason)
          isFinished = true
        }
      }
      try opened.file.rewind()
      return framer.content
    } catch let error as ReadFailure {
      throw error
    } catch let error as LibcryptoFailure {
      throw ReadFailure(path: opened.input.path, library: error)
    } catch {
      throw ReadFailure(.inputOutput, path: opened.input.path, reason: "\(error)")
    }
  }

  /// The next batch; nil behind the one that says how the input ended.
  func nextBatch() throws(ReadFailure) -> RawBatch? {
    guard !isEnded else { return nil }
    if let twin {
      isEnded = true
      return batch([], [], consumed: input.byteCount ?? 0, .known(path: twin))
    }
    while true {
      while !framer.isFull, !isFinished {
        if unframed.isEmpty { try readText() }
        try frameText()
      }
      let end = framer.content.count
      var (bytes, records) = framer.take()
      let old = Int(clamping: skipped - (end - Int64(records.count)))
      if old > 0 { records.removeFirst(min(old, records.count)) }
      guard !records.isEmpty || isFinished else { continue }
      isEnded = isFinished
      if records.isEmpty { bytes = [] }
      if end >= skipped {
        known?.records = end
        known?.digest = framer.content.value
        known?.prefixDigest = framer.content.prefix
      }
      known?.phase = isEnded ? .complete : .partial
      return batch(bytes, records, consumed: stream.consumed, isEnded ? .finished : nil)
    }
  }

  /// Ends the input, which could not be read on.
  func fail(_ failure: ReadFailure) -> RawBatch {
    isEnded = true
    known?.phase = .complete
    return batch([], [], consumed: stream.consumed, .failed(reason: failure.reason))
  }

  /// What is handed on of an input that cannot be read at all.
  static func failed(_ input: InputFile, _ failure: ReadFailure) -> RawBatch {
    let standing = InputStanding(input: nil, end: .failed(reason: failure.reason))
    let origin = BatchOrigin(input: input, recordCount: 0, consumed: 0, standing: standing)
    return RawBatch(bytes: [], records: [], origins: [origin])
  }

  private func batch(_ bytes: [UInt8], _ records: [Record], consumed: Int64, _ end: InputEnd?) -> RawBatch {
    if let known { register.note(known) }
    let standing = InputStanding(input: known, end: end)
    let origin = BatchOrigin(input: input, recordCount: records.count, consumed: consumed, standing: standing)
    return RawBatch(bytes: bytes, records: records, origins: [origin])
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
