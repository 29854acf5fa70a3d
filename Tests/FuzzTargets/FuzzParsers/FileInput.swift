import CZlib
import DurableFiles
import Glibc

@testable import PostbackPipeline

/// A file of records, plain or compressed, that is read in pieces.
enum FileInput {
  /// A byte of settings, and the content of the file.
  static func read(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    do { try read(choice, Array(input.dropFirst())) } catch { fatalError("\(error)") }
  }

  private static func read(_ choice: UInt8, _ text: [UInt8]) throws {
    let isSmall = choice & 4 != 0
    let limits = isSmall ? ReadLimits(recordBytes: 300, batchBytes: 1000, batchRecords: 3) : ReadLimits()
    let bufferSize = choice & 8 != 0 ? 7 : 4096
    switch choice & 3 {
    case 0:
      let batches = try File(text).batches(limits, bufferSize: bufferSize)
      let framing = Framing(batches)
      if Compression(start: text.span.extracting(first: Compression.magicCount)) == nil { framing.check(against: text) }
      // Where the text is cut into pieces changes nothing.
      let other = try File(text).batches(limits, bufferSize: bufferSize == 7 ? 4096 : 7)
      require(Framing(other) == framing, "the same records, whatever the buffer")
    case 1:
      // A member with a header in order, and anything for its contents.
      let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
      _ = Framing(try File(header + text).batches(limits, bufferSize: bufferSize))
    case 2:
      Framing(try File(Gzip.shared.member(text)).batches(limits, bufferSize: bufferSize)).check(against: text)
    default:
      let member = Gzip.shared.member(text)
      let batches = try File(member.dropLast(1 + Int(choice >> 4))).batches(limits, bufferSize: bufferSize)
      let last = batches.last { !$0.records.isEmpty }?.records.last
      require(last?.defect != nil, "a member that is cut has a last record that says so")
    }
  }
}

/// A file in memory: the same file of this process for each input, or the bytes alone.
private struct File {
  private let bytes: [UInt8]
  private static let descriptor: Int32 = {
    let descriptor = unsafe open("\(SmallFile.folder)/file", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    require(descriptor >= 0, "a file can be made")
    return descriptor
  }()

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Reads it all. In pieces of a few bytes the bytes are read directly, as a system call for each would take the most time.
  func batches(_ limits: ReadLimits, bufferSize: Int) throws -> [RawBatch] {
    let input = InputFile(path: "in/\"é\".jsonl", modified: 1_700_000_000_000)
    let identity = FileIdentity(device: 1, inode: 1, byteCount: Int64(bytes.count))
    let opened =
      bufferSize < 64
      ? OpenInput(input, MemoryBytes(bytes), identity)
      : OpenInput(input, OpenFile(descriptor: Self.file(of: bytes), path: input.path), identity)
    let reader = try InputReader(opened, InputCatalog(), limits: limits, bufferSize: bufferSize)
    var batches: [RawBatch] = []
    while let batch = try reader.nextBatch() { batches.append(batch) }
    return batches
  }

  /// Returns a descriptor of a file with these bytes, which the caller closes.
  private static func file(of bytes: [UInt8]) -> Int32 {
    require(ftruncate(descriptor, 0) == 0, "the file can be emptied")
    require(unsafe pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, "the file holds the bytes")
    lseek(descriptor, 0, SEEK_SET)
    return dup(descriptor)
  }
}

/// Bytes in place of a file.
private final class MemoryBytes: InputBytes {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func read(into buffer: inout [UInt8], at start: Int) throws(FileFailure) -> Int {
    let count = min(buffer.count - start, bytes.count - position)
    buffer.replaceSubrange(start..<start + count, with: bytes[position..<position + count])
    position += count
    return count
  }

  func rewind() { position = 0 }
}

/// gzip as `gzip` writes it, with one compressor, which takes 256 KiB of memory.
@safe
private final class Gzip {
  nonisolated(unsafe) static let shared = Gzip()

  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  private init() {
    unsafe stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    let code = unsafe deflateInit2_(stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    require(code == Z_OK, "zlib can compress")
  }

  func member(_ bytes: [UInt8]) -> [UInt8] {
    unsafe deflateReset(stream)
    var input = bytes
    var output = [UInt8](repeating: 0, count: input.count + input.count / 100 + 1024)
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.pointee.next_in = input.baseAddress
        unsafe stream.pointee.avail_in = UInt32(input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(output.count)
        require(unsafe deflate(stream, Z_FINISH) == Z_STREAM_END, "zlib compresses")
      }
    }
    return Array(output.prefix(Int(unsafe stream.pointee.total_out)))
  }
}
