internal import DurableFiles

/// The format of a compressed file, in which other bytes are stored without compressing them, so that its name stays right.
enum StoredCompression {
  case none
  case gzip
  case zstd

  /// The format of an existing file.
  init(of path: String) throws(FileFailure) {
    var start = [UInt8](repeating: 0, count: 4)
    let count = try DurableFile(path, .reading).read(into: &start, at: 0)
    self =
      switch (count, start[0], start[1]) {
      case (2..., 0x1F, 0x8B): .gzip
      case (4..., 0x28, 0xB5) where start[2] == 0x2F && start[3] == 0xFD: .zstd
      // A file of zstd may begin with a frame that is skipped.
      case (4..., 0x50...0x5F, 0x2A) where start[2] == 0x4D && start[3] == 0x18: .zstd
      default: .none
      }
  }

  /// The first bytes of files in formats that are not read: of xz, bzip2, lz4, ZIP and 7z.
  private static let otherStarts: [[UInt8]] = [
    [0xFD, 0x37, 0x7A, 0x58], [0x42, 0x5A, 0x68], [0x04, 0x22, 0x4D, 0x18], [0x50, 0x4B, 0x03, 0x04],
    [0x37, 0x7A, 0xBC, 0xAF],
  ]

  /// Tells if an existing file is compressed in a format that is not read.
  static func isOther(_ path: String) throws(FileFailure) -> Bool {
    var start = [UInt8](repeating: 0, count: 4)
    let count = try DurableFile(path, .reading).read(into: &start, at: 0)
    return otherStarts.contains { start.prefix(count).starts(with: $0) }
  }

  /// Returns the bytes in the format.
  func encode(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .none: bytes
    case .gzip: Self.gzip(bytes)
    case .zstd: Self.zstd(bytes)
    }
  }

  /// One member with stored blocks (RFC 1951, section 3.2.4; RFC 1952).
  private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var start = 0
    repeat {
      let end = min(start + 0xFFFF, bytes.count)
      let count = UInt16(end - start)
      file.append(end == bytes.count ? 1 : 0)
      append(UInt64(count) | UInt64(~count) << 16, count: 4, to: &file)
      file += bytes[start..<end]
      start = end
    } while start < bytes.count
    var checksum = CRC32()
    checksum.update(bytes.span)
    append(UInt64(checksum.value) | UInt64(UInt32(truncatingIfNeeded: bytes.count)) << 32, count: 8, to: &file)
    return file
  }

  /// Frames with one raw block each (RFC 8878, section 3.1.1).
  private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
    var file: [UInt8] = []
    var start = 0
    repeat {
      let end = min(start + 0x1_0000, bytes.count)
      let count = UInt64(end - start)
      // A single segment, and four bytes with its length.
      file += [0x28, 0xB5, 0x2F, 0xFD, 0xA0]
      append(count, count: 4, to: &file)
      append(count << 3 | 1, count: 3, to: &file)
      file += bytes[start..<end]
      start = end
    } while start < bytes.count
    return file
  }

  /// Appends the lowest bytes of a number, the lowest first.
  private static func append(_ number: UInt64, count: Int, to file: inout [UInt8]) {
    for index in 0..<count { file.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }
}
