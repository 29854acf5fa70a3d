package import DurableFiles

/// Bytes that are read in order, and can be read again from their start.
package protocol InputBytes: AnyObject {
  /// Reads as `OpenFile.read(into:at:)` does.
  func read(into buffer: inout [UInt8], at start: Int) throws(FileFailure) -> Int
  /// Goes back to the start.
  func rewind()
}

/// The content of an open input: an open file, or other bytes.
///
/// Its functions are not inlined, because the optimiser of Swift 6.3 aborts where two of them meet in one.
enum InputContent: ~Copyable {
  case file(OpenFile)
  case bytes(any InputBytes)

  /// Tells if the content begins as gzip or zstd data does. Reads its first bytes and goes back to the start.
  func isCompressed() throws(FileFailure) -> Bool {
    var start = [UInt8](repeating: 0, count: Compression.magicCount)
    let count = try read(into: &start, at: 0)
    try rewind()
    return Compression(start: start.span.extracting(first: count)) != nil
  }

  /// Returns the same content once more; both share one read position.
  func duplicate() throws(FileFailure) -> InputContent {
    switch self {
    case .file(let file): .file(try file.duplicate())
    case .bytes(let bytes): .bytes(bytes)
    }
  }

  /// Goes back to the start.
  @inline(never) func rewind() throws(FileFailure) {
    switch self {
    case .file(let file): try file.rewind()
    case .bytes(let bytes): bytes.rewind()
    }
  }

  /// Reads as `OpenFile.read(into:at:)` does.
  @inline(never) func read(into buffer: inout [UInt8], at start: Int) throws(FileFailure) -> Int {
    switch self {
    case .file(let file): try file.read(into: &buffer, at: start)
    case .bytes(let bytes): try bytes.read(into: &buffer, at: start)
    }
  }
}
