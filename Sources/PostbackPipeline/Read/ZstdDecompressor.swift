internal import CZstd

/// Decodes Zstandard (RFC 8878), one frame after the other; skippable frames decode to nothing.
///
/// Frames whose window is above 128 MiB (`zstd --long=28` and more) are refused, as `zstd` itself does.
@safe
final class ZstdDecompressor: Decompressor {
  let format = "zstd"
  private let stream: OpaquePointer?
  /// The number of input bytes that zstd asks for in its next call.
  private var wanted = 0

  init() {
    unsafe stream = ZSTD_createDStream()
    beginMember()
  }

  deinit { _ = unsafe ZSTD_freeDStream(stream) }

  func beginMember() {
    if let stream = unsafe stream { wanted = unsafe ZSTD_initDStream(stream) }
  }

  /// Gives zstd one block, or one header, at a time. If zstd fails it does not report the bytes that it wrote before in
  /// the same call; with a single block there are none.
  func decode(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> DecompressionStep {
    guard let stream = unsafe stream else {
      return DecompressionStep(consumed: 0, produced: 0, outcome: .corrupt("out of memory"))
    }
    // zstd asks for the rest of a block together with the header of the next one.
    let header = 3
    let piece = input.extracting(first: wanted > header ? wanted - header : wanted)
    var consumed = 0
    var produced = 0
    let result = unsafe piece.withUnsafeBytes { piece in
      unsafe output.withUnsafeMutableBytes { output in
        var from = unsafe ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
        var to = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = unsafe ZSTD_decompressStream(stream, &to, &from)
        unsafe (consumed, produced) = (from.pos, to.pos)
        return result
      }
    }
    guard ZSTD_isError(result) == 0 else {
      let message = unsafe String(cString: ZSTD_getErrorName(result))
      return DecompressionStep(consumed: consumed, produced: produced, outcome: .corrupt(message))
    }
    wanted = result
    return DecompressionStep(consumed: consumed, produced: produced, outcome: result == 0 ? .memberEnd : .unfinished)
  }
}
