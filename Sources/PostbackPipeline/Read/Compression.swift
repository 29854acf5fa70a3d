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
  init?(start: Span<UInt8>) {
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
