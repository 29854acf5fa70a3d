internal import Base
internal import JSON
internal import Signatures

/// The secret of a job, with which `verify` authenticates the lines that it writes and `finish` recognises them.
///
/// The last member of an authenticated line is `line_mac`: the HMAC-SHA256 of all bytes of the line before it. So it covers
/// the key, the position, the record and every member of the verdict, or the row of a reject.
package struct LineSecret: Sendable {
  private let bytes: [UInt8]

  /// The length in bytes of the shortest secret.
  package static let shortest = 16

  /// Makes the secret of its bytes; nil if they are fewer than `shortest`.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.shortest else { return nil }
    self.bytes = bytes
  }

  /// Adds `line_mac` to the line that begins at `start`, as the last member before its closing brace and its end.
  func authenticate(lineFrom start: Int, of text: inout [UInt8]) throws(LibcryptoFailure) {
    text.removeLast(Self.end.count)
    let digest = try mac(of: text[start...])
    text += Self.member
    text += digest
    text += Self.closing
  }

  /// Returns the proof that a process with this secret wrote the line; nil if none did, or the line was changed since.
  func proof(of line: ArraySlice<UInt8>) throws(LibcryptoFailure) -> LineProof? {
    let content = line.dropLast(Self.suffixCount)
    let suffix = line[content.endIndex...]
    guard suffix.starts(with: Self.member), suffix.reversed().starts(with: Self.closing.dropLast().reversed()) else {
      return nil
    }
    let found = Array(suffix.dropFirst(Self.member.count).prefix(Self.digits))
    let expected = try mac(of: content)
    return found.isEqualInConstantTime(to: expected) ? LineProof() : nil
  }

  /// Returns the hexadecimal digits of the HMAC.
  private func mac(of content: ArraySlice<UInt8>) throws(LibcryptoFailure) -> [UInt8] {
    let digest = try HMAC.sha256(of: content.span, secret: bytes.span)
    var text: [UInt8] = []
    text.reserveCapacity(Self.digits)
    text.appendHexadecimal(digest.span)
    return text
  }

  private static let member = Array(",\"\(RecordMember.lineMAC.rawValue)\":\"".utf8)
  private static let closing = Array("\"}\n".utf8)
  private static let end = Array("}\n".utf8)
  private static let digits = 64
  private static let suffixCount = member.count + digits + closing.count - 1
}

/// The proof that `verify` wrote a line. Only a `LineSecret` makes one.
struct LineProof: Sendable {
  fileprivate init() {}
}
