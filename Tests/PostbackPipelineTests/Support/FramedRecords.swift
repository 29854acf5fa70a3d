import TestSupport
import CZlib
import CZstd
import Foundation
import Glibc
import JSON
import Signatures

@testable import PostbackPipeline

/// A record with its bytes, for comparison.
struct FramedRecord: Hashable, CustomStringConvertible {
  var text: String
  var line: Int
  var defect: FramingDefect?

  init(_ text: String, line: Int, defect: FramingDefect? = nil) {
    self.text = text
    self.line = line
    self.defect = defect
  }

  init(_ record: Record, in bytes: [UInt8]) {
    text = String(decoding: bytes[record.bytes.indices], as: UTF8.self)
    line = record.line
    defect = record.defect
  }

  var description: String { "\(line): \(text)" + (defect.map { " (\($0))" } ?? "") }
}

/// Frames a text that is passed in pieces of `chunk` bytes.
func framed(
  _ text: [UInt8],
  chunk: Int = .max,
  limits: ReadLimits = ReadLimits(),
  cut: String? = nil
) throws -> [FramedRecord] {
  var framer = try Framer(limits: limits)
  var records: [FramedRecord] = []
  func take(_ framer: inout Framer) {
    let (bytes, batch) = framer.take()
    records += batch.map { FramedRecord($0, in: bytes) }
  }
  var start = 0
  while start < text.count {
    let piece = Array(text[start..<start + min(chunk, text.count - start)])
    start += try framer.frame(piece.span)
    if framer.isFull { take(&framer) }
  }
  try framer.finish(cut: cut)
  take(&framer)
  return records
}

func framed(
  _ text: String,
  chunk: Int = .max,
  limits: ReadLimits = ReadLimits(),
  cut: String? = nil
) throws -> [FramedRecord] {
  try framed(Array(text.utf8), chunk: chunk, limits: limits, cut: cut)
}

/// Returns the records of a file with these bytes.
func read(
  _ bytes: [UInt8],
  limits: ReadLimits = ReadLimits(),
  bufferSize: Int = 128 * 1024
) throws -> [FramedRecord] {
  let directory = try TemporaryDirectory()
  let input = InputFile(path: try directory.write(bytes))
  let reader = try InputReader(try OpenInput(input), InputCatalog(), limits: limits, bufferSize: bufferSize)
  var records: [FramedRecord] = []
  while let batch = try reader.nextBatch() {
    records += batch.records.map { FramedRecord($0, in: batch.bytes) }
  }
  return records
}

/// One gzip member.
func gzip(_ text: String) -> [UInt8] {
  var stream = unsafe z_stream()
  unsafe deflateInit2_(
    &stream,
    6,
    Z_DEFLATED,
    MAX_WBITS + 16,
    8,
    Z_DEFAULT_STRATEGY,
    ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size)
  )
  defer { unsafe deflateEnd(&stream) }
  var input = Array(text.utf8)
  var output = [UInt8](repeating: 0, count: input.count + 1024)
  unsafe input.withUnsafeMutableBufferPointer { input in
    unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(input.count)
      unsafe stream.next_out = output.baseAddress
      unsafe stream.avail_out = UInt32(output.count)
      _ = unsafe deflate(&stream, Z_FINISH)
    }
  }
  return Array(output.prefix(Int(unsafe stream.total_out)))
}

/// One zstd frame, with a checksum.
func zstd(_ text: String) -> [UInt8] {
  let context = unsafe ZSTD_createCCtx()
  defer { _ = unsafe ZSTD_freeCCtx(context) }
  _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  let input = Array(text.utf8)
  var output = [UInt8](repeating: 0, count: ZSTD_compressBound(input.count))
  let count = unsafe ZSTD_compress2(context, &output, output.count, input, input.count)
  return Array(output.prefix(count))
}
