internal import Base
internal import Glibc
internal import SKAdNetwork

/// Finds traces of a postback in the bytes of a record, whatever is wrong with it otherwise.
///
/// A record is no postback if it has no trace: no name of a field of Apple's or of an envelope, in any letter case and at any
/// depth, no escape that may hide one, and no base64 of a JSON object.
enum PostbackTraces {
  /// The names that nearly every postback has.
  private static let commonNames = [Field.version, .jwsString].map { Array($0.name.utf8) }
  /// All traces, folded. `eyJ` is `{"` in base64.
  private static let all = Field.allCases.map { folded($0.name.utf8) } + [folded("\\u".utf8), folded("eyJ".utf8)]

  /// Indicates that there is a trace.
  static func occur(in bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      if commonNames.contains(where: { unsafe contains($0, in: bytes) }) { return true }
      let text = unsafe folded(bytes)
      return unsafe text.withUnsafeBytes { text in all.contains { unsafe contains($0, in: text) } }
    }
  }

  private static func contains(_ name: [UInt8], in bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    var offset = 0
    while offset + name.count <= bytes.count {
      let count = bytes.count - name.count + 1 - offset
      guard let found = unsafe memchr(start + offset, Int32(name[0]), count) else { return false }
      if unsafe memcmp(found, name, name.count) == 0 { return true }
      offset = unsafe start.distance(to: UnsafeRawPointer(found)) + 1
    }
    return false
  }

  /// Returns bytes with small letters in place of capital ones, and `-` in place of `_`.
  private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0.asciiLowercased }
  }
}
