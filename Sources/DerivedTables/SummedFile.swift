internal import DurableFiles

/// The checksum at the end of a file: the CRC-32 of its words, and their number.
struct FileSum {
  private var checksum = CRC32()
  private var count = 0

  var value: UInt64 { UInt64(checksum.value) << 32 | UInt64(truncatingIfNeeded: count) }

  mutating func add(_ words: [some FixedWidthInteger & BitwiseCopyable]) {
    checksum.update(words.span)
    count += words.count
  }
}

/// A file that is written in portions, with their checksum at its end.
final class SummedFile {
  private let file: DurableFile
  private var sum = FileSum()
  /// The failure of a portion, which `finish` throws.
  private var failure: FileFailure?

  init(_ path: String) throws(FileFailure) { file = try DurableFile(path, .creating) }

  func append(_ words: [some FixedWidthInteger & BitwiseCopyable]) {
    guard failure == nil else { return }
    do throws(FileFailure) { try file.append(words.span) } catch { failure = error }
    sum.add(words)
  }

  /// Completes the file.
  func finish() throws(FileFailure) {
    if let failure { throw failure }
    try file.append([sum.value].span)
  }
}
