package import DurableFiles
package import Signatures

/// The text of one input, decompressed if the input begins as gzip or zstd does.
///
/// Holds one buffer, and the window of the decompressor, in memory, independent of the size of the input.
struct TextStream: ~Copyable {
  /// The result of one read.
  enum Step {
    /// The number of bytes of text that were read, at least one.
    case text(Int)
    /// The end of the text.
    case end
    /// No more text, because the compressed data is cut, corrupt or expands too much; the reason in words.
    case cut(String)
  }

  private enum State {
    case start
    case plain
    case member(any Decompressor, Compression)
    case betweenMembers(any Decompressor, Compression)
    case cut(String)
  }

  private let file: InputContent
  private var state = State.start
  private var buffer: [UInt8]
  /// The range of `buffer` that was read from the file and is not used yet.
  private var unused = 0..<0
  private var readCount: Int64 = 0
  /// The number of bytes of text that were decompressed.
  private var expandedCount: Int64 = 0

  /// The size of decompressed text, 8 MiB, above which it must not be more than 256 times the bytes read. No dump of
  /// postbacks is, because each has a different signature. A small file that becomes millions of records is meant
  /// to fill a disk.
  private static let harmlessExpansion: Int64 = 8 << 20
  private static let largestExpansion: Int64 = 256

  /// The text of an input, which is read in pieces of at most `bufferSize` bytes.
  init(_ file: consuming InputContent, bufferSize: Int) {
    self.file = file
    buffer = [UInt8](repeating: 0, count: max(bufferSize, Compression.magicCount))
  }

  /// The number of bytes of the input, as stored, that were used so far.
  var consumed: Int64 { readCount - Int64(unused.count) }

  /// Reads the next piece of text and writes it to the start of `text`.
  mutating func read(into text: inout [UInt8]) throws(FileFailure) -> Step {
    while true {
      switch state {
      case .start:
        try fill(atLeast: Compression.magicCount)
        state =
          switch compression {
          case let compression?: .member(compression.makeDecompressor(), compression)
          case nil: .plain
          }
      case .plain:
        let count = try readPlain(into: &text)
        return count > 0 ? .text(count) : .end
      case .member(let decompressor, let compression):
        if let step = try decode(with: decompressor, compression, into: &text) { return step }
      case .betweenMembers(let decompressor, let compression):
        try fill(atLeast: Compression.magicCount)
        if compression == .gzip { try skipPadding() }
        if unused.isEmpty { return .end }
        if self.compression == compression {
          decompressor.beginMember()
          state = .member(decompressor, compression)
        } else {
          state = .cut("The \(decompressor.format) data is followed by bytes that are not \(decompressor.format).")
        }
      case .cut(let reason):
        return .cut(reason)
      }
    }
  }

  /// Copies the bytes that were read to detect the format, then reads directly into `text`. Returns the number of
  /// bytes, 0 at the end.
  private mutating func readPlain(into text: inout [UInt8]) throws(FileFailure) -> Int {
    guard !unused.isEmpty else {
      let count = try file.read(into: &text, at: 0)
      readCount += Int64(count)
      return count
    }
    let count = min(unused.count, text.count)
    text.replaceSubrange(0..<count, with: buffer[unused].prefix(count))
    use(count)
    return count
  }

  /// Decodes more of a member. Returns nil if no text came out.
  private mutating func decode(
    with decompressor: any Decompressor,
    _ compression: Compression,
    into text: inout [UInt8]
  ) throws(FileFailure) -> Step? {
    var output = text.mutableSpan
    let step = decompressor.decode(buffer.span.extracting(unused), into: &output)
    use(step.consumed)
    expandedCount += Int64(step.produced)
    if expandedCount > Self.harmlessExpansion, expandedCount / Self.largestExpansion > readCount {
      state = .cut(
        "The \(decompressor.format) data expands to more than \(Self.largestExpansion) times its size, which no real dump does. The "
          + "rest is not read."
      )
      return step.produced > 0 ? .text(step.produced) : nil
    }
    switch step.outcome {
    case .memberEnd:
      state = .betweenMembers(decompressor, compression)
    case .corrupt(let reason):
      state = .cut("The \(decompressor.format) data is corrupt: \(reason).")
    case .unfinished where step.consumed == 0 && step.produced == 0:
      let before = unused.count
      try fill(atLeast: before + 1)
      if unused.count == before { state = .cut("The \(decompressor.format) data ends too early.") }
    case .unfinished:
      break
    }
    return step.produced > 0 ? .text(step.produced) : nil
  }

  /// Skips the zero bytes that block devices and tapes leave after a gzip member.
  private mutating func skipPadding() throws(FileFailure) {
    while !unused.isEmpty, buffer[unused.lowerBound] == 0 {
      use(1)
      try fill(atLeast: Compression.magicCount)
    }
  }

  /// The compression format of the unused bytes, by their magic number; nil if they have none.
  private var compression: Compression? {
    Compression(start: buffer.span.extracting(unused).extracting(first: Compression.magicCount))
  }

  private mutating func use(_ count: Int) {
    unused = unused.lowerBound + count..<unused.upperBound
  }

  /// Reads until the buffer has at least `count` unused bytes, or fewer at the end of the file.
  private mutating func fill(atLeast count: Int) throws(FileFailure) {
    if unused.isEmpty { unused = 0..<0 }
    while unused.count < count {
      if unused.upperBound == buffer.count {
        buffer.replaceSubrange(0..<unused.count, with: buffer[unused])
        unused = 0..<unused.count
      }
      let received = try file.read(into: &buffer, at: unused.upperBound)
      if received == 0 { return }
      readCount += Int64(received)
      unused = unused.lowerBound..<unused.upperBound + received
    }
  }
}

extension InputFile {
  /// Returns the first bytes of the text of a file, decompressed, `limit` at most. Throws if compressed data is cut or corrupt.
  package static func text(at path: String, atMost limit: Int) throws(FileFailure) -> [UInt8] {
    var stream = TextStream(.file(try OpenFile(path: path)), bufferSize: RecordStream.bufferSize)
    var piece = [UInt8](repeating: 0, count: RecordStream.bufferSize)
    var text: [UInt8] = []
    while text.count < limit {
      switch try stream.read(into: &piece) {
      case .text(let count): text += piece[..<min(count, limit - text.count)]
      case .end: return text
      case .cut(let reason):
        throw FileFailure(.incompatible, path, reason, advice: "Give the whole file, or decompress it")
      }
    }
    return text
  }

  /// Returns the SHA-256 of the text, decompressed, which is read to its end; nil if the input is no regular file.
  package func textDigest() throws -> SHA256Digest? {
    guard byteCount != nil else { return nil }
    var stream = TextStream(.file(try OpenFile(path: path)), bufferSize: RecordStream.bufferSize)
    var text = [UInt8](repeating: 0, count: RecordStream.bufferSize)
    var hash = try SHA256()
    while case .text(let count) = try stream.read(into: &text) { try hash.update(text.span.extracting(first: count)) }
    return try hash.finish()
  }
}
