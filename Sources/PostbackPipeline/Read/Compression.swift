internal import CZlib
internal import CZstd

/// The compression formats that inputs may have.
package enum Compression {
  case gzip
  case zstd

  /// The version of the zlib library that is linked at run time.
  package static var zlibVersion: String { unsafe String(cString: CZlib.zlibVersion()) }
  /// The version of the zstd library that is linked at run time.
  package static var zstdVersion: String { unsafe String(cString: ZSTD_versionString()) }

  /// The number of bytes that are needed to detect the format.
  static let magicCount = 4

  private static let gzipMagic: [2 of UInt8] = [0x1F, 0x8B]
  private static let zstdMagic: [4 of UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// The format of data that begins with `start`; nil if the data is not compressed.
  ///
  /// A `start` that is shorter than a magic number must be the whole input: if it agrees with the beginning of a magic
  /// number, the input counts as a compressed stream that was cut.
  package init?(start: Span<UInt8>) {
    if start.isEmpty { return nil }
    if start.agrees(with: Self.gzipMagic.span) {
      self = .gzip
    } else if start.agrees(with: Self.zstdMagic.span) || start.isSkippableFrame {
      self = .zstd
    } else {
      return nil
    }
  }

  /// A decompressor of the format.
  func makeDecompressor() -> any Decompressor {
    switch self {
    case .gzip: GzipDecompressor()
    case .zstd: ZstdDecompressor()
    }
  }
}

extension Span<UInt8> {
  fileprivate func agrees(with magic: Span<UInt8>) -> Bool {
    (0..<Swift.min(count, magic.count)).allSatisfy { self[$0] == magic[$0] }
  }

  /// True if the bytes begin with the magic number of a zstd skippable frame (RFC 8878, section 3.1.2).
  fileprivate var isSkippableFrame: Bool {
    count >= 4 && self[0] & 0xF0 == 0x50 && self[1] == 0x2A && self[2] == 0x4D && self[3] == 0x18
  }
}

/// A decompressor of one format. It works piece by piece, in memory that does not grow with the length of the data.
protocol Decompressor: AnyObject {
  /// The format's name in messages.
  var format: String { get }

  /// Prepares for the next member (gzip) or frame (zstd) of the same input.
  func beginMember()

  /// Decodes bytes from the start of `input` and writes the text to the start of `output`.
  func decode(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> DecompressionStep
}

/// The result of one call of a decompressor.
struct DecompressionStep {
  enum Outcome {
    /// There may be more output. If this step consumed and produced nothing, more input is needed first.
    case unfinished
    /// The member is complete, and its checksum, if it has one, is right.
    case memberEnd
    /// The data is corrupt, or there is no memory to decode it; the reason in words. Do not call `decode` again.
    case corrupt(String)
  }

  /// The number of bytes that were taken from the input.
  var consumed: Int
  /// The number of bytes that were written to the output. They are valid also if the data behind them is corrupt.
  var produced: Int
  /// The state of the member after the call.
  var outcome: Outcome
}

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

/// Reads the text of gzip data in memory, piece by piece. The data is one member or several (RFC 1952, section 2.2).
package struct GzipText: ~Copyable {
  /// The failure to decode data that is corrupt or cut.
  package struct Failure: Error, CustomStringConvertible {
    /// The failure in words.
    package let description: String
  }

  private let decompressor = GzipDecompressor()
  private var position = 0
  /// True if a member is being read. The first one counts as begun from the start, so that empty data is an error.
  private var isInMember = true

  /// A reader at the start of the data.
  package init() {}

  /// Writes the next piece of the text of `data` to the start of `piece`, and returns its size in bytes, 0 at the end.
  /// Every call must get the same `data`.
  package mutating func read(_ data: Span<UInt8>, into piece: inout [UInt8]) throws(Failure) -> Int {
    while true {
      if !isInMember {
        guard position < data.count else { return 0 }
        decompressor.beginMember()
        isInMember = true
      }
      var output = piece.mutableSpan
      let step = decompressor.decode(data.extracting(droppingFirst: position), into: &output)
      position += step.consumed
      switch step.outcome {
      case .memberEnd: isInMember = false
      case .corrupt(let reason): throw Failure(description: "The gzip data is corrupt: \(reason).")
      case .unfinished:
        guard step.consumed > 0 || step.produced > 0 else {
          throw Failure(description: "The gzip data ends too early.")
        }
      }
      if step.produced > 0 { return step.produced }
    }
  }
}
