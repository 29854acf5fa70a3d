internal import CZlib
internal import CZstd

/// The compressed formats that are read.
package enum Compression {
  case gzip
  case zstd

  /// The version of zlib as it runs.
  package static var zlibVersion: String { unsafe String(cString: CZlib.zlibVersion()) }
  /// The version of zstd as it runs.
  package static var zstdVersion: String { unsafe String(cString: ZSTD_versionString()) }

  /// The bytes that are needed to tell.
  static let magicCount = 4

  private static let gzipMagic: [2 of UInt8] = [0x1F, 0x8B]
  private static let zstdMagic: [4 of UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// The format of data that begins with `start`, nil where it is not compressed.
  ///
  /// A start that is shorter than a magic number is all of the input: where it agrees it is taken for a cut stream.
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

  /// Whether it begins a skippable frame (RFC 8878, section 3.1.2).
  fileprivate var isSkippableFrame: Bool {
    count >= 4 && self[0] & 0xF0 == 0x50 && self[1] == 0x2A && self[2] == 0x4D && self[3] == 0x18
  }
}
