import CZlib
import Glibc

@testable import PostbackPipeline

/// A temporary file without a name.
struct Input {
  private let descriptor: Int32

  init(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    var name = Array("/tmp/postback-fuzz-XXXXXX".utf8CString)
    descriptor = unsafe mkstemp(&name)
    require(descriptor >= 0, "a file can be made")
    unsafe unlink(name)
    require(unsafe write(descriptor, bytes, bytes.count) == bytes.count, "the file holds the bytes")
    lseek(descriptor, 0, SEEK_SET)
  }

  /// Reads the whole file and closes it.
  func batches(_ limits: ReadLimits, bufferSize: Int) throws -> [RawBatch] {
    let input = InputFile(path: "in/\"é\".jsonl", modified: 1_700_000_000_000)
    let file = OpenFile(descriptor: descriptor, path: input.path)
    let reader = try InputReader(OpenInput(input, file, nil), InputCatalog(), limits: limits, bufferSize: bufferSize)
    var batches: [RawBatch] = []
    while let batch = try reader.nextBatch() { batches.append(batch) }
    return batches
  }
}

/// gzip as `gzip` writes it.
enum Gzip {
  static func member(_ bytes: [UInt8]) -> [UInt8] {
    var stream = unsafe z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    unsafe deflateInit2_(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    defer { unsafe deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: input.count + input.count / 100 + 1024)
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        require(unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib compresses")
      }
    }
    return Array(output.prefix(Int(unsafe stream.total_out)))
  }
}
