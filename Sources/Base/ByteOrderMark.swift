/// The byte order mark of UTF-8, which some programs write before a text (RFC 3629, section 6).
package enum ByteOrderMark {
  /// The bytes of the mark.
  package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the number of bytes that a mark takes at the start of a text: 3, or 0 where there is none.
  package static func length(in text: some Sequence<UInt8>) -> Int { text.starts(with: bytes) ? bytes.count : 0 }
}
