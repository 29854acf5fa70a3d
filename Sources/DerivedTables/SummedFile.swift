internal import DurableFiles
internal import TableReading

/// The checksum of a file: the CRC-32 of its words, and their number.
struct FileSum: Equatable, Sendable {
  private var checksum: CRC32
  private var count: Int

  init(_ checksum: CRC32 = CRC32(), count: Int = 0) { (self.checksum, self.count) = (checksum, count) }

  /// Computes the checksum of some bytes.
  init(of bytes: [UInt8]) { self.init(CRC32(of: bytes), count: bytes.count) }

  /// The checksum as it is at the end of a file.
  var value: UInt64 { UInt64(checksum.value) << 32 | UInt64(truncatingIfNeeded: count) }

  /// The number of bytes of a file whose words are bytes.
  var byteCount: Int64 { Int64(count) }

  /// The number of bytes and the CRC-32 as text.
  var text: String { "\(count) \(String(checksum.value, radix: 16))" }

  /// Reads what `text` has written; nil if it is something else.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let count = Int(words[0]), let value = UInt32(words[1], radix: 16) else { return nil }
    self.init(CRC32(value), count: count)
  }

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

/// The bytes of a file that `SummedFile` has written, whose checksum is right.
struct SummedBytes {
  /// The number of the bytes, without the checksum.
  let byteCount: Int
  private let file: DurableFile

  private static let portion = 1 << 20

  /// Checks a file; nil if it is damaged.
  init?(_ file: DurableFile) throws(FileFailure) {
    let length = try file.byteCount() - 8
    var end = [UInt64](repeating: 0, count: 1)
    guard length >= 0, let checksum = try file.readPrefix(length), try file.read(into: &end, at: length) == 8,
      FileSum(checksum, count: Int(length)).value == end[0]
    else { return nil }
    (byteCount, self.file) = (Int(length), file)
  }

  /// Reads the result, a portion of the bytes at a time; nil if the file cannot be read any more.
  func result<Result: PartResult>(_: Result.Type = Result.self) -> Result? {
    let (file, byteCount) = (file, byteCount)
    var reader = ResultReader { offset in
      var bytes = [UInt8](repeating: 0, count: min(Self.portion, byteCount - offset))
      guard !bytes.isEmpty, (try? file.read(into: &bytes, at: Int64(offset))) == bytes.count else { return [] }
      return bytes
    }
    let result = Result(&reader)
    return reader.isDamaged ? nil : result
  }
}
