internal import JSON

/// The three parts of a JWS in compact serialization (RFC 7515, section 7.1), still encoded.
struct JWSParts {
  let text: ByteRange
  let header: ByteRange
  let payload: ByteRange
  let signature: ByteRange

  /// The bytes that are signed: header, period and payload.
  var signingInput: ByteRange {
    ByteRange(start: Int(header.start), count: Int(header.count) + 1 + Int(payload.count))
  }

  init(_ text: ByteRange, of bytes: [UInt8]) throws(PostbackDefect) {
    self.text = text
    let parts = bytes[text.indices].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw Self.malformed(text, "three parts with periods between them, not \(parts.count)")
    }
    func range(_ part: ArraySlice<UInt8>) -> ByteRange { ByteRange(start: part.startIndex, count: part.count) }
    header = range(parts[0])
    payload = range(parts[1])
    signature = range(parts[2])
    var decoded: [UInt8] = []
    guard Base64.url.decode(bytes.span.extracting(signature.indices), appendingTo: &decoded) else {
      throw malformed("base64url without padding")
    }
  }

  func malformed(_ expected: String) -> PostbackDefect { Self.malformed(text, expected) }

  private static func malformed(_ text: ByteRange, _ expected: String) -> PostbackDefect {
    PostbackDefect(.malformedJWS, .jwsString, expected: expected, found: JSONField(kind: .string, text: text))
  }
}
