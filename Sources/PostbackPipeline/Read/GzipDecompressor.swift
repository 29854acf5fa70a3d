internal import CZlib

/// Decodes gzip (RFC 1952) with zlib's inflate, one member after the other.
@safe
final class GzipDecompressor: Decompressor {
  let format = "gzip"
  /// The stream of zlib. It must have a fixed address, because zlib's internal state points back to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private var status: Int32

  init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let gzipOnly: Int32 = 16
    status = unsafe inflateInit2_(stream, MAX_WBITS + gzipOnly, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  func beginMember() {
    guard status == Z_STREAM_END else { return }
    status = unsafe inflateReset(stream)
  }

  func decode(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> DecompressionStep {
    guard status == Z_OK else { return DecompressionStep(consumed: 0, produced: 0, outcome: .corrupt(message)) }
    unsafe input.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(clamping: output.count)
        status = unsafe inflate(stream, Z_NO_FLUSH)
      }
    }
    return DecompressionStep(
      consumed: min(input.count, Int(UInt32.max)) - Int(unsafe stream.pointee.avail_in),
      produced: min(output.count, Int(UInt32.max)) - Int(unsafe stream.pointee.avail_out),
      outcome: outcome
    )
  }

  private var outcome: DecompressionStep.Outcome {
    switch status {
    case Z_OK:
      return .unfinished
    case Z_BUF_ERROR:
      // zlib needs more input or output to go on, which is not an error.
      status = Z_OK
      return .unfinished
    case Z_STREAM_END:
      return .memberEnd
    default:
      return .corrupt(message)
    }
  }

  private var message: String {
    switch status {
    case Z_MEM_ERROR: "out of memory"
    case Z_NEED_DICT: "it needs a dictionary"
    default: unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib error \(status)"
    }
  }
}
